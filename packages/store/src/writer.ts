// Ingest writes through pg itself: the client's engine takes as long over a batch's arrays as Postgres does over
// the batch. And its statements are pipelined: they go out as they are put together, so that both sides work at once.
import type pg from 'pg'
import { StoreUnavailableError } from './errors.js'
import { Prisma } from './generated/client.js'
import type { Sql } from './store.js'
import { types, writeValue } from './wire-values.js'

/** A transaction of ingest. Its statements run in the order in which they were called, waited for or not. */
export interface WriteTx extends Sql {
  /** Does not wait: what it changes shows to all that come after; what fails, fails the transaction. */
  send(statement: Prisma.Sql): void
}

export interface Writer {
  /**
   * Commits all that `work` did and sent, or nothing of it.
   * @param timeoutMs the longest that Postgres may keep a statement waiting: then the connection is cut, and the
   *   transaction with it
   * @throws what the first statement that failed threw, or else what `work` threw
   */
  transaction<T>(work: (tx: WriteTx) => Promise<T>, timeoutMs: number): Promise<T>
}

/** pg's types leave the timeout of one query out. */
type TimedQuery = pg.QueryConfig & { query_timeout: number }

/** @param pool of connections that pipeline */
export const openWriter = (pool: pg.Pool): Writer => ({
  async transaction(work, timeoutMs) {
    const client = await pool.connect()
    let failure: unknown
    const run = (config: pg.QueryConfig) => {
      const patient: TimedQuery = { ...config, query_timeout: timeoutMs }
      const running = client.query<Record<string, unknown>>(patient)
      // The first to fail says why; the rest only that something did.
      running.catch((error: unknown) => (failure ??= error))
      return running
    }
    try {
      void run({ text: 'begin' })
      const result = await work(openTx(run))
      // Where something failed that nobody waited for, Postgres answers with a rollback instead of an error.
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

function openTx(run: (config: pg.QueryConfig) => Promise<pg.QueryResult<Record<string, unknown>>>): WriteTx {
  const ask = ({ text, values }: Prisma.Sql) =>
    run({ text, values: values.map(writeValue), types } as pg.QueryConfig)
  const askFor = (strings: TemplateStringsArray, values: unknown[]) => ask(Prisma.sql(strings, ...values))
  return {
    $queryRaw: async (strings: TemplateStringsArray, ...values: unknown[]) =>
      (await askFor(strings, values)).rows,
    $executeRaw: async (strings: TemplateStringsArray, ...values: unknown[]) =>
      (await askFor(strings, values)).rowCount ?? 0,
    send: statement => void ask(statement),
  } as WriteTx
}
