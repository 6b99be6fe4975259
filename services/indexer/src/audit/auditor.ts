// Proves that no transaction is missing: numbers must have no holes, the chain's accounts must agree with the published
// events, and gaps are tried again. The auditor publishes missing transactions, or reports a gap.
import { readPaymentCount } from '@payment-tracking/chain'
import type { Logger } from '@payment-tracking/runtime'
import type { FetchedTransaction } from '../nodes/fetch-transaction.js'
import { NodeError } from '../nodes/node-error.js'
import type { NodePool } from '../nodes/node-pool.js'
import type { ListedTransaction } from '../nodes/open-node.js'
import type { Publisher } from '../publish/publisher.js'
import type { CounterAudit, CounterHole } from './counter-audit.js'
import { joinParts, listAccount } from './list-account.js'
import { addTo, closeBy, moveHole, takeTurn, type OpenGaps, type UnreadTransaction } from './open-gaps.js'

export interface AuditorParts {
  programId: string
  pool: NodePool
  publisher: Publisher
  counters: CounterAudit
  log: Logger
  /** reads a transaction as the finalized scan does */
  fetch: (listed: ListedTransaction, boundMs: number) => Promise<FetchedTransaction | undefined>
  /** whether the transaction is on the stream already */
  isPublished: (listed: ListedTransaction) => boolean
  /** about how many transactions are read for missing numbers before the chain is followed on */
  auditedAtOnce: number
}

const ACCOUNTS_A_CALL = 100
/** A page of a list takes about as long as so many transactions. */
const PAGE_COST = 10
/** How long the auditor waits for a failing node before a missing number becomes a gap. */
const HOLE_PATIENCE_MS = 20_000
/** How long one transaction may be answered without use. The next turn asks again. */
const UNREAD_PATIENCE_MS = 1_000
/** The longest wait for accounts, which only prove that nothing is missing. */
const ACCOUNTS_PATIENCE_MS = 10_000

/**
 * Bounded: one turn reads about `auditedAtOnce` transactions, and lists an account in parts of at most 100 pages, however
 * many transactions name the account; what is left has its turn after the next rescan. Numbers are compared by one call for
 * 100 of the policies that were paid since the last turn.
 */
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

  /**
   * Looks for the transactions behind a hole in the numbers, in the newest part of the account's own list; otherwise
   * reports a gap, for which the next parts are read in its turns.
   */
  async #fill(hole: CounterHole): Promise<void> {
    const { publisher, log, auditedAtOnce } = this.parts
    const { account, fromSlot, toSlot, reason } = hole
    const { published, rest } = await this.#publishMissing(hole, HOLE_PATIENCE_MS, auditedAtOnce)
    const { open } = closeBy({ transactions: [], holes: [rest] }, published)
    const left = open.holes[0]
    if (!left) return log.info({ account, reason }, 'indexer.counter-hole-filled')
    log.warn({ account, fromSlot, toSlot, reason }, 'indexer.counter-hole')
    await publisher.publishGap(fromSlot, toSlot, reason)
    this.#open(left)
  }

  /**
   * Publishes the transactions that the next part of the account's list has between the slots of a hole.
   * @returns all of the part, new or not; the hole, with the key where its next part begins; and the cost in
   *   transactions read
   */
  async #publishMissing(
    hole: CounterHole,
    patienceMs: number,
    most: number,
  ): Promise<{ published: FetchedTransaction[]; rest: CounterHole; cost: number }> {
    const { pool, publisher, fetch, isPublished } = this.parts
    const parts = await pool.askEvery(node => listAccount(node, hole, most), patienceMs)
    if (parts.length === 0) return { published: [], rest: hole, cost: 1 }
    const { found, last, pages } = joinParts(parts)
    const published: FetchedTransaction[] = []
    for (const each of found) {
      const fetched = await fetch(each, UNREAD_PATIENCE_MS)
      // Read later: the hole stays open.
      if (!fetched || (fetched.nodeMayBeUnfit && fetched.events.length === 0)) continue
      published.push(fetched)
      if (isPublished(each)) continue
      await publisher.publish([fetched], 'finalized')
      await this.#close([fetched])
    }
    const { listedTo: _before, ...whole } = hole
    const rest = last ? { ...whole, listedTo: last.signature } : whole
    return { published, rest, cost: found.length + pages * PAGE_COST }
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
      const what = `the accounts of ${keys.length} policies`
      const answer = await pool
        .ask(node => node.accounts(keys), { bound: { what, patienceMs: ACCOUNTS_PATIENCE_MS } })
        .catch((error: unknown) => {
          if (!(error instanceof NodeError)) throw error
          counters.touch(touched.slice(at))
          return undefined
        })
      if (!answer) return
      const { slot, data } = answer
      const counts = this.#toCompare?.counts ?? new Map<string, number>()
      keys.forEach((key, nth) => {
        const count = data[nth] && readPaymentCount(data[nth], key, programId)
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
      const listed = { signature, slot, failed: false, transactionIndex: null, isDisputed: true }
      const fetched = await fetch(listed, UNREAD_PATIENCE_MS)
      if (!fetched || fetched.nodeMayBeUnfit) continue
      await publisher.publish([fetched], 'finalized')
      // An unreadable part that remains belongs to the transaction itself: the gap stays, and no node can close it.
      const { transactions } = this.open
      if (fetched.gaps.length > 0)
        this.open = { ...this.open, transactions: transactions.filter(each => each.signature !== signature) }
      await this.#close([fetched])
    }
    await this.#fillAgain(turn.holes)
  }

  /** Reads the next part of each hole, until as many transactions are read as one turn may read. */
  async #fillAgain(holes: readonly CounterHole[]): Promise<void> {
    let most = this.parts.auditedAtOnce
    for (const hole of holes) {
      if (most <= 0) {
        this.open = moveHole(this.open, hole, 'first')
        continue
      }
      const { published, rest, cost } = await this.#publishMissing(hole, 0, most)
      most -= cost
      this.open = moveHole(this.open, rest, 'last')
      await this.#close(published)
    }
  }
}
