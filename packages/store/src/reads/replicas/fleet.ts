// The replicas of one process. Each server (the primary too) is asked every 100 ms how it is. A replica
// answers reads as long as all of these hold:
//
// - It answered within the last second, follows a primary, and its replay is not paused.
// - Its epoch is the primary's. An epoch changes when a database lost commits (verify-database.ts).
// - It does not know more than a primary that was asked later. Otherwise the primary lost commits, or the replica follows
//   another primary.
// - It lags at most REPLICA_MAX_LAG_MS behind the primary. When the primary is away, its last answer counts: so the replicas
//   that followed it to its end go on answering.
import type { HeadTracker } from '../../core/database/head-tracker.js'
import { SILENT_AFTER_MS, type Replica, type ReplicaProblem, type ServerSample } from './replica.js'
import { WalHistory } from './wal-history.js'

const CHECK_EVERY_MS = 100

export interface FleetOptions {
  primary: HeadTracker<ServerSample>
  replicas: readonly Replica[]
  maxLagMs: number
  /** a replica is asked again (null), or why it is not asked any more */
  onChange: (name: string, problem: ReplicaProblem | null) => void
}

export class Fleet {
  readonly replicas: readonly Replica[]
  readonly #options: FleetOptions
  readonly #history: WalHistory
  readonly #timers = new Map<() => Promise<void>, NodeJS.Timeout>()
  #primaryBreaks = 0
  #primarySample: { sample: ServerSample; askedAtMs: number } | undefined
  #turn = 0
  #isClosed = false

  constructor(options: FleetOptions) {
    this.#options = options
    this.replicas = options.replicas
    this.#history = new WalHistory(options.maxLagMs)
    this.#keepSampling(() => this.#samplePrimary())
    for (const replica of this.replicas) this.#keepSampling(() => this.#sample(replica))
  }

  /** Whether any replica may be asked. */
  get serves(): boolean {
    return this.replicas.some(replica => replica.problem === null && !replica.isSilent())
  }

  /** A replica that may be asked and knows the position, in turn. */
  choose(atLeast: bigint, except?: ReadonlySet<Replica>): Replica | undefined {
    const nowMs = performance.now()
    const fit = this.replicas.filter(
      replica =>
        replica.problem === null &&
        !except?.has(replica) &&
        !replica.isSilent(nowMs) &&
        (replica.heads.newest?.position ?? -1n) >= atLeast,
    )
    return fit[this.#turn++ % fit.length]
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const timer of this.#timers.values()) clearTimeout(timer)
    for (const replica of this.replicas) replica.giveUp()
    await Promise.all(this.replicas.map(({ store }) => store.close()))
  }

  #keepSampling(check: () => Promise<void>): void {
    const timer = setTimeout(() => {
      // A server that hangs does not hold up the judgement: its silence is one.
      const judge = setTimeout(() => this.#judge(), SILENT_AFTER_MS + 1)
      void check().finally(() => {
        clearTimeout(judge)
        if (!this.#isClosed) this.#keepSampling(check)
      })
    }, CHECK_EVERY_MS)
    timer.unref()
    this.#timers.set(check, timer)
  }

  async #samplePrimary(): Promise<void> {
    const { primary } = this.#options
    const sample = await Promise.resolve(primary.head(0)).catch(() => undefined)
    if (sample) {
      if (primary.breaks !== this.#primaryBreaks) this.#history.clear()
      this.#primaryBreaks = primary.breaks
      this.#history.note(sample.wal, primary.askedAtMs)
      this.#primarySample = { sample, askedAtMs: primary.askedAtMs }
    }
    this.#judge()
  }

  async #sample(replica: Replica): Promise<void> {
    await replica.check()
    this.#judge()
  }

  #judge(): void {
    for (const replica of this.replicas) {
      replica.lagMs = replica.last ? this.#history.lagMs(replica.last.sample.wal) : Infinity
      const problem = this.#problemOf(replica)
      if (problem === replica.problem) continue
      replica.problem = problem
      if (problem === 'unanswered') replica.giveUp()
      this.#options.onChange(replica.name, problem)
    }
  }

  #problemOf(replica: Replica): ReplicaProblem | null {
    if (replica.last === undefined || replica.isSilent()) return 'unanswered'
    const { sample, answeredAtMs } = replica.last
    if (!sample.isStandby) return 'no-standby'
    if (sample.isPaused) return 'paused'
    const primary = this.#primarySample
    if (primary === undefined) return 'primary-unknown'
    if (primary.sample.epoch !== sample.epoch) return 'other-database'
    const isAhead = sample.position > primary.sample.position || sample.wal > primary.sample.wal
    if (isAhead && primary.askedAtMs > answeredAtMs) return 'ahead-of-primary'
    return replica.lagMs > this.#options.maxLagMs ? 'behind' : null
  }
}
