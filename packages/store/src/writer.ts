// Ingest writes through pg itself: the client's engine takes as long over a batch's arrays as Postgres does over
// the batch. And one statement can be on its way while the next is put together, so that both sides work at once.
import pg from 'pg'
import { StoreUnavailableError } from './errors.js'
import { Prisma } from './generated/client.js'
import type { Sql } from './store.js'
import { types, writeValue } from './wire-values.js'

/** A transaction of ingest. Its statements run one after the other as they were called, until one fails. */
export interface WriteTx extends Sql {
  /** Does not wait: what it changes shows to all that come after; its failure is theirs, and the transaction's. */
  send(statement: Prisma.Sql): void
}

export interface Writer {
  /**
   * Commits all that `work` did and sent, or nothing of it.
   * @param timeoutMs after which the connection is cut, and the transaction with it
   * @throws what the first statement that failed threw, or else what `work` threw
   */
  transaction<T>(work: (tx: WriteTx) => Promise<T>, timeoutMs: number): Promise<T>
}

const ignore = () => {}

export const openWriter = (pool: pg.Pool): Writer => ({
  async transaction(work, timeoutMs) {
    const client = await pool.connect()
    // A connection that breaks fails its statement; without a listener it would also end the process.
    client.on('error', ignore)
    let isOurs = true
    const giveBack = (broken: boolean) => {
      if (!isOurs) return
      isOurs = false
      client.off('error', ignore)
      client.release(broken)
    }
    const deadline = setTimeout(() => giveBack(true), timeoutMs)
    let last: Promise<unknown> = client.query('begin')
    const run = (config: pg.QueryConfig) => {
      const running = last.then(() => {
        if (isOurs) return client.query<Record<string, unknown>>(config)
        throw new StoreUnavailableError(`the transaction took longer than ${timeoutMs} ms`)
      })
      running.catch(ignore)
      last = running
      return running
    }
    try {
      const result = await work(openTx(run))
      await run({ text: 'commit' })
      giveBack(false)
      return result
    } catch (error) {
      await last.catch(ignore)
      await client.query('rollback').then(
        () => giveBack(false),
        () => giveBack(true),
      )
      throw error
    } finally {
      clearTimeout(deadline)
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
