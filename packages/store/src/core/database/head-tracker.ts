// What a database surely knows. Positions have no holes and their order is the commit order, so whoever reads after a
// head was read sees every event up to it. A head is therefore read before the answer, and shared: reading it costs a
// busy process one small statement in 20 ms, whatever number of answers it serves.
//
// Behind the same address another server can appear that lacks commits (a failover). Every new connection is therefore
// asked for its head before its first statement. When that is less than what was known, the tracker counts a break:
// what was read around that moment is not known to be complete.
import { StoreContentsError } from '../errors.js'
import { sql, type RunStatement, type Sql } from './sql.js'

/** The end of the stream of events, and the database that it belongs to. */
export interface Head {
  epoch: string
  position: bigint
}

/** The row that a statement on stream_head has read. @throws StoreContentsError when there is none */
export function rowOf<Row>([row]: readonly Row[]): Row {
  if (!row) throw new StoreContentsError('stream_head is empty: run the migrations (npm run migrate)')
  return row
}

/** Relies on the one row of stream_head; does not wait for ingest, which locks it. */
export const HEAD = sql`select epoch::text as epoch, position from stream_head`

/**
 * A head that is younger than this is used without asking again, unless its reader wants a later position. Its age counts
 * from the answer, because a busy process can take longer than this to get one.
 */
export const HEAD_MAX_AGE_MS = 20

export class HeadTracker<Sample extends Head = Head> {
  #newest: Sample | undefined
  #breaks = 0
  #asking: Promise<Sample> | undefined
  #askedAtMs = -Infinity
  #answeredAtMs = -Infinity

  /**
   * @param lookUp gives the pool that runs the statement. It is asked late, because the store that tracks its own head is
   *   opened after its tracker
   * @param statement returns one row
   */
  constructor(
    private readonly lookUp: () => RunStatement,
    private readonly statement: Sql = HEAD,
  ) {}

  /** The newest head that was read. */
  get newest(): Sample | undefined {
    return this.#newest
  }

  /** How often the database turned out to lack what it had. */
  get breaks(): number {
    return this.#breaks
  }

  /** When the last question was sent that was answered; of `performance.now()`. */
  get askedAtMs(): number {
    return this.#askedAtMs
  }

  /**
   * The head, at once when it was read at most `maxAgeMs` ago.
   * @throws StoreUnavailableError, StoreTimeoutError
   */
  head(maxAgeMs = HEAD_MAX_AGE_MS): Sample | Promise<Sample> {
    const newest = this.#newest
    return newest !== undefined && performance.now() - this.#answeredAtMs <= maxAgeMs ? newest : this.#ask()
  }

  /** Reads the head on a new connection, before the connection's first statement. If that fails, the head is unknown. */
  async greet(run: RunStatement): Promise<void> {
    try {
      await this.#learn(() => run<Sample>(this.statement))
    } catch {
      this.#newest = undefined
      this.#breaks += 1
    }
  }

  #ask(): Promise<Sample> {
    const askedAtMs = performance.now()
    this.#asking ??= this.#learn(() => this.lookUp()<Sample>(this.statement))
      .then(sample => {
        this.#askedAtMs = askedAtMs
        this.#answeredAtMs = performance.now()
        return sample
      })
      .finally(() => (this.#asking = undefined))
    return this.#asking
  }

  async #learn(ask: () => Promise<readonly Sample[]>): Promise<Sample> {
    const before = this.#newest
    const breaks = this.#breaks
    const sample = rowOf(await ask())
    if (before && (sample.epoch !== before.epoch || sample.position < before.position)) this.#breaks += 1
    // Of two answers that overtook each other the later position counts, unless a break came between.
    else if (breaks !== this.#breaks || sample.position < (this.#newest?.position ?? 0n)) return sample
    this.#newest = sample
    return sample
  }
}
