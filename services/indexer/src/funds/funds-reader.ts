// Reads the token accounts that due payments need, and publishes what the nodes agree on. Postgres knows what is due, and
// ingest answers; this process keeps only what it published last, so that an account that does not change is published again
// only before it would count as unknown.
import type { Bus, KeyValue } from '@payment-tracking/bus'
import type { TokenAccount } from '@payment-tracking/chain'
import {
  controlSubjectOf,
  dueAccountsSubjectOf,
  readDueAccounts,
  type DueAccounts,
} from '@payment-tracking/contracts'
import type { OtherAccounts } from '@payment-tracking/domain'
import type { Logger } from '@payment-tracking/runtime'
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { IndexerMetrics } from '../indexer-metrics.js'
import type { NodePool } from '../nodes/node-pool.js'
import { readCheckpointSlot } from '../scan/checkpoint.js'
import { agree } from './agree.js'
import { Cycle } from './cycle.js'
import { summarize, type KnownOthers } from './other-accounts.js'

export interface FundsSettings {
  streamName: string
  subjectPrefix: string
  /** how often every account is read */
  fundsCycleMs: number
}

export interface FundsParts {
  settings: FundsSettings
  bus: Pick<Bus, 'ask' | 'publishAll'>
  pool: NodePool
  /** outlives the lease */
  others: KnownOthers
  keys: Pick<KeyValue, 'get'>
  metrics: Pick<IndexerMetrics, 'funds'>
  log: Logger
  /** aborted when the lease is lost or the service stops */
  signal: AbortSignal
}

/** What `getMultipleAccounts` takes. */
const ACCOUNTS_A_CALL = 100
/** Calls to each node in a cycle. They are spread: one for each thousandth of the cycle. */
const CALLS_A_CYCLE = 1_000
/** An unchanged account is published again in every second cycle: ten minutes, of the fifteen after which it is unknown. */
const REPUBLISH_CYCLES = 1.5
/** Accounts of which this process knows what it published last: some 50 MB. Others are published in each cycle. */
const MOST_PUBLISHED = 200_000
/**
 * Wallets whose other accounts a cycle asks for. Anybody can make policies whose recipients have no account: they make a cycle
 * longer by a tenth at most, and the others wait for later cycles.
 */
const SEARCHES_A_CYCLE = 100
/** Where no node answered for a wallet, the next question comes after so many cycles: an hour. */
const SEARCH_AGAIN_CYCLES = 12
/** After a cycle that failed, the next one begins after this part of its time. */
const AGAIN = 1 / 10

export class FundsReader {
  /** by address; the first was published longest ago */
  readonly #published = new Map<string, { digest: string; at: number }>()
  #highestSlot = 0
  #calledAt = -Infinity
  #hasFailed = false

  constructor(private readonly parts: FundsParts) {}

  /** Resolves when the signal aborts. */
  async run(): Promise<void> {
    const { settings, log, signal } = this.parts
    while (!signal.aborted) {
      const startedAt = performance.now()
      let waitMs = settings.fundsCycleMs
      try {
        await this.#cycle()
        this.#hasFailed = false
      } catch (err) {
        if (signal.aborted) return
        if (!this.#hasFailed) log.warn({ err }, 'funds.cycle-failed')
        this.#hasFailed = true
        waitMs *= AGAIN
      }
      const leftMs = waitMs - (performance.now() - startedAt)
      if (leftMs > 0) await sleep(leftMs, undefined, { signal }).catch(() => {})
    }
  }

  /** Reads every account once. */
  async #cycle(): Promise<void> {
    const cycle = new Cycle()
    this.#highestSlot = Math.max(this.#highestSlot, await readCheckpointSlot(this.parts.keys))
    for (let after: string | null = null; ;) {
      const { accounts, next } = await this.#askWhatIsDue(after)
      for (const { tokenAccount, tokenMint, owners } of accounts) {
        cycle.want({ address: tokenAccount, mint: tokenMint, owner: null })
        cycle.wantOwners(tokenMint, owners)
      }
      while (cycle.size >= ACCOUNTS_A_CALL) await this.#read(cycle)
      if (next === null) break
      after = next
    }
    while (cycle.size > 0) await this.#read(cycle)
    this.parts.metrics.funds(cycle.counts)
  }

  async #askWhatIsDue(after: string | null): Promise<DueAccounts> {
    const { bus, settings, signal } = this.parts
    signal.throwIfAborted()
    const subject = dueAccountsSubjectOf(settings.streamName)
    const answer = readDueAccounts(await bus.ask(subject, Buffer.from(JSON.stringify({ after }))))
    if (answer === undefined) throw new TypeError('ingest answered in another form')
    return answer
  }

  /** One call to each node. */
  async #read(cycle: Cycle): Promise<void> {
    const wanted = cycle.take(ACCOUNTS_A_CALL)
    await this.#waitForTurn()
    const keys = wanted.map(({ address }) => address)
    const answers = await this.parts.pool.askAll(node => node.tokenAccounts(keys))
    const agreed = agree(
      answers.map(({ answer: { slot, accounts } }) => ({ slot, said: accounts })),
      keys.length,
      this.#highestSlot,
    )
    const seen: Seen[] = []
    const lacking: (Omit<Seen, 'body'> & { owner: string; mint: string })[] = []
    for (const [at, each] of agreed.entries()) {
      cycle.count(answers.length === 0 ? 'unread' : each ? 'agreed' : 'disputed')
      if (each === undefined) continue
      const { slot, nodes, said: account } = each
      const { address, mint, owner } = wanted[at]!
      this.#highestSlot = Math.max(this.#highestSlot, slot)
      if (account?.mint === mint) cycle.learn(mint, account.program)
      if (account === null && owner !== null) lacking.push({ address, slot, nodes, mint, owner })
      else seen.push({ address, slot, nodes, body: bodyOf(mint, account) })
    }
    await this.#publish(seen)
    // What was seen does not wait for these questions.
    const missing: Seen[] = []
    for (const { owner, mint, ...each } of lacking) {
      const others = await this.#findOthers(cycle, owner, mint)
      missing.push({ ...each, body: { exists: false, owner, mint, ...(others && { others }) } })
    }
    await this.#publish(missing)
  }

  /** What the nodes know of other accounts of a wallet; null where they do not agree, or are asked in a later cycle. */
  async #findOthers(cycle: Cycle, owner: string, mint: string): Promise<OtherAccounts | null> {
    const { others: known, pool, settings } = this.parts
    const found = known.find(owner, mint)
    if (found !== undefined || cycle.searches >= SEARCHES_A_CYCLE) return found ?? null
    cycle.searches += 1
    await this.#waitForTurn()
    const answers = await pool.askAll(node => node.accountsOfOwner(owner, mint))
    const [agreed] = agree(
      answers.flatMap(({ answer }) =>
        answer ? [{ slot: answer.slot, said: [summarize(answer.accounts)] }] : [],
      ),
      1,
      this.#highestSlot,
    )
    const others = agreed?.said ?? null
    known.keep(
      owner,
      mint,
      others,
      answers.length === 0 ? SEARCH_AGAIN_CYCLES * settings.fundsCycleMs : undefined,
    )
    return others
  }

  /** Publishes what is due to be. */
  async #publish(seen: readonly Seen[]): Promise<void> {
    const now = performance.now()
    const subject = controlSubjectOf(this.parts.settings.subjectPrefix, 'funds')
    const messages = seen
      .filter(({ address, body }) => this.#isDue(address, body, now))
      .map(({ address, slot, nodes, body }) => ({
        subject,
        bytes: Buffer.from(JSON.stringify({ tokenAccount: address, slot, ...body, nodes })),
      }))
    this.parts.signal.throwIfAborted()
    if (messages.length > 0) await this.parts.bus.publishAll(messages)
  }

  /** Whether an account is to be published: it changed, or was published some time ago. Notes that it is. */
  #isDue(address: string, body: object, now: number): boolean {
    const digest = createHash('sha1').update(JSON.stringify(body)).digest('base64')
    const published = this.#published.get(address)
    if (
      published?.digest === digest &&
      now - published.at < REPUBLISH_CYCLES * this.parts.settings.fundsCycleMs
    )
      return false
    this.#published.delete(address)
    this.#published.set(address, { digest, at: now })
    if (this.#published.size > MOST_PUBLISHED) this.#published.delete(this.#published.keys().next().value!)
    return true
  }

  async #waitForTurn(): Promise<void> {
    const { settings, signal } = this.parts
    const turnAt = this.#calledAt + settings.fundsCycleMs / CALLS_A_CYCLE
    const leftMs = turnAt - performance.now()
    if (leftMs > 0) await sleep(Math.ceil(leftMs), undefined, { signal })
    this.#calledAt = performance.now()
  }
}

/** What the nodes agree on of an account. */
interface Seen {
  address: string
  slot: number
  nodes: number
  /** the rest of the message */
  body: object
}

function bodyOf(mint: string, account: TokenAccount | null): object {
  if (account === null) return { exists: false, mint }
  return {
    exists: true,
    owner: account.owner,
    mint: account.mint,
    balance: account.balance.toString(),
    delegate: account.delegate,
    allowance: account.allowance.toString(),
    frozen: account.frozen,
  }
}
