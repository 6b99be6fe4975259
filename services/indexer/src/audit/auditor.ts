// Proves that no transaction is missing: numbers must have no holes, the chain's accounts must agree with the published
// events, and gaps are tried again. The auditor publishes missing transactions, or reports a gap.
import { readPaymentCount } from '@payment-tracking/chain'
import type { Logger } from '@payment-tracking/runtime'
import type { FetchedTransaction } from '../nodes/fetch-transaction.js'
import type { NodePool } from '../nodes/node-pool.js'
import type { ChainNode, ListedTransaction } from '../nodes/open-node.js'
import type { Publisher } from '../publish/publisher.js'
import type { CounterAudit, CounterHole } from './counter-audit.js'
import { addTo, closeBy, takeTurn, type OpenGaps, type UnreadTransaction } from './open-gaps.js'

export interface AuditorParts {
  programId: string
  pool: NodePool
  publisher: Publisher
  counters: CounterAudit
  log: Logger
  /** reads a transaction as the finalized scan does */
  fetch: (listed: ListedTransaction) => Promise<FetchedTransaction | undefined>
  /** whether the transaction is on the stream already */
  isPublished: (listed: ListedTransaction) => boolean
}

const ACCOUNTS_A_CALL = 100
/** How long the auditor waits for a failing node before a missing number becomes a gap. */
const HOLE_PATIENCE_MS = 20_000

export class Auditor {
  /** stored in the checkpoint */
  open: OpenGaps
  /** the program's counts at a slot; compared once the scan has passed the slot */
  #toCompare: { slot: number; counts: Map<string, number> } | undefined

  constructor(
    private readonly parts: AuditorParts,
    open: OpenGaps,
  ) {
    this.open = open
  }

  /** Takes published final transactions, in chain order; closes gaps, and looks for missing numbers. */
  async takePublished(published: readonly FetchedTransaction[]): Promise<void> {
    const { counters } = this.parts
    const holes = published.flatMap(({ events, transaction }) => counters.observe(events, transaction.slot))
    await this.#close(published)
    for (const each of published) if (each.nodeMayBeUnfit) this.#open(each.transaction)
    for (const hole of holes) await this.#fill(hole)
  }

  async #close(published: readonly FetchedTransaction[]): Promise<void> {
    const { open, closed } = closeBy(this.open, published)
    this.open = open
    for (const range of closed) await this.parts.publisher.closeGap(range)
  }

  #open(gap: UnreadTransaction | CounterHole): void {
    const unread = 'account' in gap ? gap : { signature: gap.signature, slot: gap.slot }
    const open = addTo(this.open, unread)
    if (open) this.open = open
    else this.parts.log.warn({ gap: unread }, 'indexer.gap-not-tried-again')
  }

  /** Looks for the transactions behind a hole in the numbers, in the account's own list; otherwise reports a gap. */
  async #fill(hole: CounterHole): Promise<void> {
    const { publisher, log } = this.parts
    const { account, fromSlot, toSlot, reason } = hole
    const published = await this.#publishMissing(hole, HOLE_PATIENCE_MS)
    const { open } = closeBy({ transactions: [], holes: [hole] }, published)
    const left = open.holes[0]
    if (!left) return log.info({ account, reason }, 'indexer.counter-hole-filled')
    log.warn({ account, fromSlot, toSlot, reason }, 'indexer.counter-hole')
    await publisher.publishGap(fromSlot, toSlot, reason)
    this.#open(left)
  }

  /**
   * Publishes the transactions that the account's list has between the slots of a hole. @returns all of them, new or
   * not
   */
  async #publishMissing(
    { account, fromSlot, toSlot }: CounterHole,
    patienceMs: number,
  ): Promise<FetchedTransaction[]> {
    const { pool, publisher, fetch, isPublished } = this.parts
    const lists = await pool.askEvery(node => listAccount(node, account, fromSlot, toSlot), patienceMs)
    const found = [...new Map(lists.flat().map(entry => [entry.signature, entry])).values()]
      .filter(({ failed }) => !failed)
      .sort((a, b) => a.slot - b.slot)
    const all: FetchedTransaction[] = []
    for (const each of found) {
      const fetched = await fetch(each)
      if (!fetched) continue
      all.push(fetched)
      if (isPublished(each)) continue
      await publisher.publish([fetched], 'finalized')
      await this.#close([fetched])
    }
    return all
  }

  /** Runs the periodic checks. @param through slots up to this slot are published */
  async run(through: number): Promise<void> {
    await this.#compareAccounts(through)
    await this.#tryGapsAgain()
  }

  async #compareAccounts(through: number): Promise<void> {
    const { pool, programId, counters } = this.parts
    if (this.#toCompare && this.#toCompare.slot <= through) {
      for (const [policy, count] of this.#toCompare.counts) {
        const hole = counters.compare(policy, count, this.#toCompare.slot)
        if (hole) await this.#fill(hole)
      }
      this.#toCompare = undefined
    }
    const touched = counters.takeTouched()
    for (let at = 0; at < touched.length; at += ACCOUNTS_A_CALL) {
      const keys = touched.slice(at, at + ACCOUNTS_A_CALL)
      const { slot, data } = await pool.ask(node => node.accounts(keys))
      const counts = this.#toCompare?.counts ?? new Map<string, number>()
      keys.forEach((key, place) => {
        const count = data[place] && readPaymentCount(data[place], key, programId)
        if (typeof count === 'number') counts.set(key, count)
      })
      this.#toCompare = { slot: Math.max(slot, this.#toCompare?.slot ?? 0), counts }
    }
  }

  async #tryGapsAgain(): Promise<void> {
    const { publisher, fetch } = this.parts
    const { turn, open } = takeTurn(this.open)
    this.open = open
    for (const { signature, slot } of turn.transactions) {
      const fetched = await fetch({
        signature,
        slot,
        failed: false,
        transactionIndex: null,
        isDisputed: true,
      })
      if (!fetched || fetched.nodeMayBeUnfit) continue
      await publisher.publish([fetched], 'finalized')
      // An unreadable part that remains belongs to the transaction itself: the gap stays, and no node can close it.
      const { transactions } = this.open
      if (fetched.gaps.length > 0)
        this.open = { ...this.open, transactions: transactions.filter(each => each.signature !== signature) }
      await this.#close([fetched])
    }
    for (const hole of turn.holes) await this.#close(await this.#publishMissing(hole, 0))
  }
}

/** All transactions with an account between two slots, as one node lists them. */
async function listAccount(
  node: ChainNode,
  account: string,
  fromSlot: number,
  toSlot: number,
): Promise<ListedTransaction[]> {
  const found: ListedTransaction[] = []
  for (let before: string | undefined; ;) {
    const page = await node.list(account, 'finalized', toSlot, before)
    found.push(...page.filter(({ slot }) => slot >= fromSlot && slot <= toSlot))
    const last = page.at(-1)
    if (!last || last.slot < fromSlot) return found
    before = last.signature
  }
}
