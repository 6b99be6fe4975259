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
import { deriveTokenAccount } from '@payment-tracking/domain'
import type { Logger } from '@payment-tracking/runtime'
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { NO_FUNDS, type FundsCounts, type IndexerMetrics } from '../indexer-metrics.js'
import type { NodePool } from '../nodes/node-pool.js'
import { readCheckpointSlot } from '../scan/checkpoint.js'
import { agree } from './agree.js'

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
  keys: Pick<KeyValue, 'get'>
  metrics: Pick<IndexerMetrics, 'funds'>
  log: Logger
  /** aborted when the lease is lost or the service stops */
  signal: AbortSignal
}

/** An account that is to be read. */
interface Wanted {
  address: string
  mint: string
  /** whose account of the mint it is, where nobody but the address says so; null for a payer's */
  owner: string | null
}

/** What `getMultipleAccounts` takes. */
const ACCOUNTS_A_CALL = 100
/** Calls to each node in a cycle. They are spread: one for each thousandth of the cycle. */
const CALLS_A_CYCLE = 1_000
/** An unchanged account is published again in every second cycle: ten minutes, of the fifteen after which it is unknown. */
const REPUBLISH_CYCLES = 1.5
/** Accounts of which this process knows what it published last: some 50 MB. Others are published in each cycle. */
const MOST_PUBLISHED = 200_000
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
      let restMs = settings.fundsCycleMs
      try {
        await this.#cycle()
        this.#hasFailed = false
      } catch (err) {
        if (signal.aborted) return
        if (!this.#hasFailed) log.warn({ err }, 'funds.cycle-failed')
        this.#hasFailed = true
        restMs *= AGAIN
      }
      const leftMs = restMs - (performance.now() - startedAt)
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
      answers.map(({ answer }) => answer),
      keys.length,
      this.#highestSlot,
    )
    const messages: { subject: string; bytes: Uint8Array }[] = []
    const now = performance.now()
    for (const [at, each] of agreed.entries()) {
      const { address, mint } = wanted[at]!
      cycle.count(answers.length === 0 ? 'unread' : each ? 'agreed' : 'disputed')
      if (each === undefined) continue
      this.#highestSlot = Math.max(this.#highestSlot, each.slot)
      if (each.account?.mint === mint) cycle.learn(mint, each.account.program)
      const body = bodyOf(wanted[at]!, each.account)
      if (!this.#isDue(address, body, now)) continue
      const message = JSON.stringify({ tokenAccount: address, slot: each.slot, ...body, nodes: each.nodes })
      messages.push({
        subject: controlSubjectOf(this.parts.settings.subjectPrefix, 'funds'),
        bytes: Buffer.from(message),
      })
    }
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

/** What is said of an account, beside slot and nodes. */
function bodyOf({ mint, owner }: Wanted, account: TokenAccount | null): object {
  if (account === null) return { exists: false, ...(owner !== null && { owner }), mint }
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

/** The accounts of one cycle. Each is read once, however many payments need it. */
class Cycle {
  readonly counts: FundsCounts = { ...NO_FUNDS }
  readonly #wanted: Wanted[] = []
  readonly #seen = new Set<string>()
  readonly #programs = new Map<string, string>()
  /** wallets of mints whose program is not known yet */
  readonly #owners = new Map<string, Set<string>>()

  get size(): number {
    return this.#wanted.length
  }

  take = (count: number): Wanted[] => this.#wanted.splice(0, count)

  count(result: keyof FundsCounts): void {
    this.counts[result] += 1
  }

  want(wanted: Wanted): void {
    if (this.#seen.has(wanted.address)) return
    this.#seen.add(wanted.address)
    this.#wanted.push(wanted)
  }

  /** The usual token accounts of wallets. Their addresses follow from the token program, which the payer's account names. */
  wantOwners(mint: string, owners: readonly string[]): void {
    const program = this.#programs.get(mint)
    if (program !== undefined)
      for (const owner of owners)
        this.want({ address: deriveTokenAccount(owner, program, mint), mint, owner })
    else {
      const waiting = this.#owners.get(mint) ?? new Set()
      for (const owner of owners) waiting.add(owner)
      this.#owners.set(mint, waiting)
    }
  }

  learn(mint: string, program: string): void {
    if (this.#programs.has(mint)) return
    this.#programs.set(mint, program)
    const waiting = this.#owners.get(mint)
    this.#owners.delete(mint)
    if (waiting) this.wantOwners(mint, [...waiting])
  }
}
