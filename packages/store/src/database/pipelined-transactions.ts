// Ingest's transactions go through pg: Prisma's engine takes as long over a batch's arrays as Postgres over the batch.
// The statements are pipelined: each is sent as soon as it is built, so that both sides work at once.
import type pg from 'pg'
import { StoreUnavailableError } from '../errors.js'
import { types, writeValue } from './pg-codec.js'
import { sql, type Sql, type Tx } from './sql.js'

/** A pipelined transaction. Its statements run in the order of their calls, awaited or not. */
export interface PipelinedTx extends Tx {
  /** Does not wait. Later statements see the change; a failure fails the transaction. */
  send(statement: Sql): void
}

export interface PipelinedTransactions {
  /**
   * Commits everything that `work` did and sent, or nothing.
   * @param timeoutMs the longest wait for the answer to one statement; then the connection is cut, which undoes the
   *   transaction
   * @throws the error of the first statement that failed, or else the error of `work`
   */
  transaction<T>(work: (tx: PipelinedTx) => Promise<T>, timeoutMs: number): Promise<T>
}

/** The types of pg lack the timeout of a single query. */
type TimedQuery = pg.QueryConfig & { query_timeout: number }

/**
 * @param pool of pipelined connections
 * @param idleMs the longest that a transaction may be idle, where the session does not set it
 */
export const openPipelinedTransactions = (pool: pg.Pool, idleMs?: number): PipelinedTransactions => ({
  async transaction(work, timeoutMs) {
    const client = await pool.connect()
    let failure: unknown
    const run = (config: pg.QueryConfig) => {
      const timed: TimedQuery = { ...config, query_timeout: timeoutMs }
      const running = client.query<Record<string, unknown>>(timed)
      // Only the first failure tells the cause; later statements fail because the transaction is aborted.
      running.catch((error: unknown) => (failure ??= error))
      return running
    }
    try {
      void run({ text: 'begin' })
      if (idleMs !== undefined)
        void run({ text: `set local idle_in_transaction_session_timeout = ${idleMs}` })
      const result = await work(openTx(run))
      // When a statement failed that nobody awaited, Postgres answers `commit` with a rollback, not with an error.
      const { command } = await run({ text: 'commit' })
      if (command !== 'COMMIT') throw new StoreUnavailableError('the transaction was rolled back')
      client.release()
      return result
    } catch (error) {
      await run({ text: 'rollback' }).then(
        () => client.release(false),
        () => client.release(true),
      )
      throw failure ?? error
    }
  },
})

function openTx(
  run: (config: pg.QueryConfig) => Promise<pg.QueryResult<Record<string, unknown>>>,
): PipelinedTx {
  const ask = ({ text, values }: Sql) => run({ text, values: values.map(writeValue), types })
  const askFor = (query: TemplateStringsArray | Sql, values: unknown[]) =>
    ask('raw' in query ? sql(query, ...values) : query)
  return {
    $queryRaw: async (query: TemplateStringsArray | Sql, ...values: unknown[]) =>
      (await askFor(query, values)).rows,
    $executeRaw: async (query: TemplateStringsArray | Sql, ...values: unknown[]) =>
      (await askFor(query, values)).rowCount ?? 0,
    send: statement => void ask(statement),
  } as PipelinedTx
}
