// Transactions of Prisma's client without Prisma's engine, for ingest. Over a lone event the engine takes twice the CPU of
// everything else, and over a batch of 2,000 a fifth of it. The statements go straight to pg and are pipelined: each is
// sent as soon as it is built, so that this process and Postgres work at the same time.
import type pg from 'pg'
import { nameConnectionErrors, StoreUnavailableError } from '../errors.js'
import { Prisma, type PrismaClient } from '../../generated/client.js'
import { types, writeValue } from './pg-codec.js'
import { toStatement, type Sql, type Tx } from './sql.js'

/** A pipelined transaction. Its statements run in the order of their calls, awaited or not. */
export interface PipelinedTx extends Tx {
  /** Does not wait. Later statements see the change; a failure fails the transaction. */
  send(statement: Sql): void
}

/**
 * What the session of ingest sets where it is its own. Rolls a transaction back that is idle for longer than this, and
 * forbids sequential scans: ingest reads only by key, and a plan must not follow from how full a table is.
 */
export const limitTransaction = (idleMs: number): string =>
  `select set_config('idle_in_transaction_session_timeout', '${idleMs}', true), set_config('enable_seqscan', 'off', true)`

/** Prisma's client with `$pipelinedTransaction`. */
export type ExtendedClient = ReturnType<typeof extendClient>

/**
 * @param pool of pipelined connections
 * @param idleMs the longest that a transaction may be idle, where the session does not set it
 */
export const extendClient = (client: PrismaClient, pool: pg.Pool, idleMs?: number) =>
  client.$extends(pipelinedTransactions(pool, idleMs))

/** The types of pg lack the timeout of a single query. */
type TimedQuery = pg.QueryConfig & { query_timeout: number }

const ROLLBACK_TO_SAVEPOINT = /^rollback to savepoint /
const ignore = (): void => {}

const pipelinedTransactions = (pool: pg.Pool, idleMs?: number) =>
  Prisma.defineExtension({
    name: 'pipelined-transactions',
    client: {
      /**
       * Commits everything that `work` did and sent, or nothing.
       * @param timeoutMs the longest wait for the answer to one statement. Then the connection is cut, which rolls the
       *   transaction back.
       * @throws the error of the first statement that failed, or else the error of `work`
       */
      async $pipelinedTransaction<T>(work: (tx: PipelinedTx) => Promise<T>, timeoutMs: number): Promise<T> {
        const client = await nameConnectionErrors(pool.connect())
        let failure: unknown
        const run = (config: pg.QueryConfig) => {
          const timed: TimedQuery = { ...config, query_timeout: timeoutMs }
          const running = nameConnectionErrors(client.query<Record<string, unknown>>(timed))
          // Only the first failure tells the cause; later statements fail because the transaction is aborted.
          running.catch((error: unknown) => (failure ??= error))
          // What failed since the savepoint is undone, so it is not why a later statement fails.
          if (ROLLBACK_TO_SAVEPOINT.test(config.text)) running.then(() => (failure = undefined), ignore)
          return running
        }
        try {
          void run({ text: 'begin' })
          if (idleMs !== undefined) void run({ text: limitTransaction(idleMs) })
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
    },
  })

function openTx(
  run: (config: pg.QueryConfig) => Promise<pg.QueryResult<Record<string, unknown>>>,
): PipelinedTx {
  const ask = ({ text, values }: Sql) => run({ text, values: values.map(writeValue), types })
  return {
    $queryRaw: async <Rows>(query: TemplateStringsArray | Sql, ...values: unknown[]) =>
      (await ask(toStatement(query, values))).rows as Rows,
    $executeRaw: async (query, ...values) => (await ask(toStatement(query, values))).rowCount ?? 0,
    send: statement => void ask(statement),
  }
}
