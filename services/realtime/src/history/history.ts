// Reads payments for subscribers. When a pod dies, thousands of clients subscribe again in the same second. One
// statement for all of them costs little more than a statement for one client.
import {
  toSocketPayment,
  toSocketRetraction,
  type SocketPayment,
  type CommittedPayment,
  type SocketRetraction,
} from '@payment-tracking/contracts'
import { coalesce } from '@payment-tracking/runtime'
import {
  readPaymentsBySeq,
  readRetractionsOf,
  readHeadsWithEpoch,
  type SeqRange,
} from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'

export const PAGE_SIZE = 100
const BATCH = 256
/** The most pages of other recipients' payments that one request may read. */
const MAX_PAGES = 20

export interface HistoryRequest {
  trackingId: string
  /** absent when the caller wants only the head */
  since?: number | undefined
  epoch?: string | undefined
  /** only payments to this public key */
  recipient?: string | undefined
}

export interface HistoryPage {
  head: number
  epoch: string
  /** `since` was given, belongs to this database and is not beyond its head */
  recovered: boolean
  payments: SocketPayment[]
  /** the `seq` that `payments` reaches */
  next: number
}

/**
 * A caller must join the room before it reads the history. Then a statement that begins after the request sees every
 * payment that was announced before the join, and the room brings every later payment.
 */
export class History {
  readonly #store: Store
  readonly #readPage: (request: HistoryRequest) => Promise<HistoryPage>
  readonly #readRetracted: (request: { trackingId: string; epoch: string }) => Promise<CommittedPayment[]>

  constructor(store: Store) {
    this.#store = store
    this.#readPage = coalesce(requests => this.#readBatch(requests), { maxItems: BATCH })
    this.#readRetracted = coalesce(requests => this.#readRetractedBatch(requests), { maxItems: BATCH })
  }

  /**
   * Payments up to `since` that were retracted, perhaps while the client was away.
   * @param epoch of the page that was read before
   * @throws StoreUnavailableError also when another epoch began since then
   */
  async readRetractions(
    { trackingId, since = 0, recipient }: HistoryRequest,
    epoch: string,
  ): Promise<SocketRetraction[]> {
    if (since === 0) return []
    const retracted = await this.#readRetracted({ trackingId, epoch })
    return retracted
      .filter(payment => payment.seq! <= since)
      .filter(payment => recipient === undefined || payment.recipient === recipient)
      .map(payment => toSocketRetraction(payment)!)
  }

  /** A pod serves one epoch: all requests are of the same. */
  async #readRetractedBatch(
    requests: { trackingId: string; epoch: string }[],
  ): Promise<CommittedPayment[][]> {
    const trackingIds = [...new Set(requests.map(({ trackingId }) => trackingId))]
    const retracted = await readRetractionsOf(this.#store, trackingIds, requests[0]!.epoch)
    return requests.map(({ trackingId }) => retracted.filter(payment => payment.trackingId === trackingId))
  }

  /**
   * Reads one page. Pages that hold only other recipients' payments are skipped, up to a limit; `next` always advances.
   * @throws StoreUnavailableError
   */
  async read(request: HistoryRequest): Promise<HistoryPage> {
    const { recipient } = request
    let page = await this.#readPage(request)
    if (recipient === undefined) return page
    for (let pages = 1; ; pages++) {
      const payments = page.payments.filter(payment => payment.recipient === recipient)
      if (payments.length > 0 || page.next >= page.head || pages === MAX_PAGES) return { ...page, payments }
      page = await this.#readPage({ ...request, since: page.next })
    }
  }

  async #readBatch(requests: HistoryRequest[]): Promise<HistoryPage[]> {
    const trackingIds = [...new Set(requests.map(({ trackingId }) => trackingId))]
    const { epoch, branchPosition, heads } = await readHeadsWithEpoch(this.#store, trackingIds)
    const doubtful = await this.#findDoubtful(requests, branchPosition, epoch)
    const pages = requests.map((request): HistoryPage & { range: SeqRange | null } => {
      const head = heads.get(request.trackingId) ?? 0
      const { since } = request
      const sameDatabase = request.epoch === undefined ? !doubtful.has(request) : request.epoch === epoch
      const recovered = since !== undefined && sameDatabase && since <= head
      const to = recovered ? Math.min(head, since + PAGE_SIZE) : head
      const range = recovered && since < to ? { trackingId: request.trackingId, from: since + 1, to } : null
      return { head, epoch, recovered, payments: [], next: to, range }
    })
    const ranges = pages.flatMap(({ range }) => (range ? [range] : []))
    const byTracking = new Map<string, SocketPayment[]>()
    for (const committed of await readPaymentsBySeq(this.#store, distinct(ranges), epoch)) {
      const payment = toSocketPayment(committed)!
      const list = byTracking.get(payment.trackingId)
      if (list) list.push(payment)
      else byTracking.set(payment.trackingId, [payment])
    }
    return pages.map(({ range, ...page }) => {
      if (range === null) return page
      const all = byTracking.get(range.trackingId) ?? []
      return { ...page, payments: all.filter(({ seq }) => seq >= range.from && seq <= range.to) }
    })
  }

  /**
   * Requests without an epoch, on a database that has lost commits: their `since` may count lost payments. `since` is
   * valid in both databases when its payment was committed before the loss.
   */
  async #findDoubtful(
    requests: readonly HistoryRequest[],
    branchPosition: bigint | null,
    epoch: string,
  ): Promise<ReadonlySet<HistoryRequest>> {
    const nameless = requests.filter(
      ({ epoch, since }) => epoch === undefined && since !== undefined && since > 0,
    )
    if (branchPosition === null || nameless.length === 0) return new Set()
    const ranges = nameless.map(({ trackingId, since }) => ({ trackingId, from: since!, to: since! }))
    const known = new Map<string, bigint>()
    for (const payment of await readPaymentsBySeq(this.#store, distinct(ranges), epoch))
      known.set(`${payment.seq} ${payment.trackingId}`, BigInt(payment.position))
    const isCommon = ({ trackingId, since }: HistoryRequest) => {
      const position = known.get(`${since} ${trackingId}`)
      return position !== undefined && position <= branchPosition
    }
    return new Set(nameless.filter(request => !isCommon(request)))
  }
}

/** Reads a range once, however many requests need that range. */
function distinct(ranges: readonly SeqRange[]): SeqRange[] {
  return [...new Map(ranges.map(range => [`${range.from} ${range.to} ${range.trackingId}`, range])).values()]
}
