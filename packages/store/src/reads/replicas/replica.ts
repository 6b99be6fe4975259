// One replica: a standby of Postgres that answers reads, as long as it follows the primary.
import { HeadTracker, type Head } from '../../core/database/head-tracker.js'
import { openStore, type StoreOptions } from '../../core/database/open-store.js'
import { sql, type RunRead, type Store } from '../../core/database/sql.js'
import { StoreUnavailableError } from '../../core/errors.js'

/** What a server says of itself. */
export interface ServerSample extends Head {
  isStandby: boolean
  isPaused: boolean
  /** how far the WAL is replayed on a standby, and written on a primary */
  wal: bigint
}

/** Reads one row and the server's own memory. */
export const SERVER_SAMPLE = sql`
  select epoch::text as epoch, position, r.standby as "isStandby",
         case when r.standby then pg_is_wal_replay_paused() else false end as "isPaused",
         (coalesce(case when r.standby then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end, '0/0')
           - '0/0'::pg_lsn)::bigint as wal
    from stream_head, (select pg_is_in_recovery() as standby) r`

/** Why a replica is not asked. */
export type ReplicaProblem =
  | 'unanswered'
  | 'no-standby'
  | 'paused'
  | 'primary-unknown'
  | 'other-database'
  | 'ahead-of-primary'
  | 'behind'

/** A server that says nothing for this long is not asked, and what was asked of it is asked elsewhere. */
export const SILENT_AFTER_MS = 1_000

type PoolName = 'read' | 'lookUp'

export class Replica {
  readonly store: Store
  readonly heads: HeadTracker<ServerSample>
  /** the last answer, and when it came; of `performance.now()`. Undefined when the last question failed */
  last: { sample: ServerSample; answeredAtMs: number } | undefined
  problem: ReplicaProblem | null = 'unanswered'
  lagMs = Infinity
  /** readings that began here */
  reads = 0
  /** since when a question is not answered */
  #unansweredSinceMs = Infinity
  readonly #giveUps = new Set<(error: Error) => void>()

  /** @param name for logs and metrics: the address without user and password */
  constructor(
    readonly name: string,
    options: StoreOptions,
  ) {
    this.heads = new HeadTracker(() => this.store.database.lookUp, SERVER_SAMPLE)
    this.store = openStore({ ...options, onConnect: run => this.heads.greet(run) })
  }

  /** Asks the server how it is; an error is an answer too. */
  async check(): Promise<void> {
    this.#unansweredSinceMs = Math.min(this.#unansweredSinceMs, performance.now())
    try {
      const sample = await this.heads.head(0)
      this.last = { sample, answeredAtMs: performance.now() }
    } catch {
      this.last = undefined
    }
    this.#unansweredSinceMs = Infinity
  }

  isSilent(nowMs = performance.now()): boolean {
    return this.last === undefined || nowMs - this.#unansweredSinceMs > SILENT_AFTER_MS
  }

  /** Runs a read. @throws StoreUnavailableError also when the replica falls silent before its answer */
  run<Row>(pool: PoolName, ...[statement, signal]: Parameters<RunRead>): Promise<readonly Row[]> {
    return new Promise<readonly Row[]>((resolve, reject) => {
      this.#giveUps.add(reject)
      const forget = () => this.#giveUps.delete(reject)
      this.store.database[pool]<Row>(statement, signal).then(resolve, reject).finally(forget)
    })
  }

  /** Nobody waits any longer for what this replica was asked. */
  giveUp(): void {
    const error = new StoreUnavailableError(`the replica ${this.name} does not answer`)
    for (const reject of this.#giveUps) reject(error)
    this.#giveUps.clear()
  }
}
