import { mapStoreErrors } from '../errors.js'
import { loadCompilers } from './lazy-query-compiler.js'
import { numberMessages } from '../tables/messages.js'
import type { Prisma, PrismaClient } from '../../generated/client.js'
import { runPipelined, type PipelinedLimits, type PipelinedTx } from './pipelined-transactions.js'
import type { Sql, Statement, Tx } from './sql.js'

/** Runs a statement. @returns its rows, with 8-byte integers as bigints and times as Dates; others may read them too */
export type RunStatement = <Row>(statement: Sql) => Promise<readonly Row[]>

/**
 * As `RunStatement`, without Prisma: the text and the values suffice.
 * @param signal aborts when nobody waits for the rows any more: the read ends with its reason, a ServiceError
 */
export type RunRead = <Row>(statement: Statement, signal?: AbortSignal) => Promise<readonly Row[]>

/** As `RunRead`; the rows are the caller's own. */
export type RunWrite = <Row>(statement: Sql) => Promise<Row[]>

/** Runs statements in a transaction. */
export const runIn =
  (tx: Tx): RunStatement =>
  statement =>
    tx.$queryRaw(statement)

export interface TransactionLimits {
  /** the longest wait for a connection, in milliseconds */
  maxWait?: number
  /** the longest that the transaction may take, in milliseconds */
  timeout?: number
}

/** What a transaction logged has its number in the feeds when it commits. */
const numbering =
  <Own extends Tx, T>(work: (tx: Own) => Promise<T>) =>
  async (tx: Own): Promise<T> => {
    const result = await work(tx)
    await numberMessages(tx)
    return result
  }

/** Of a transaction that works through a page of rows, beside others that hold connections. */
export const PAGE_LIMITS: TransactionLimits = { maxWait: 10_000, timeout: 60_000 }

/**
 * The ways to run a statement. Each query of this package chooses its way itself; no caller does. Every error of Prisma and pg
 * becomes a StoreUnavailableError, StoreTimeoutError, StoreRefusedError or StoreFaultError; errors of our own stay as they are.
 */
export interface Database {
  /** Prisma's `$queryRaw`. For statements that write and return rows. */
  write: RunWrite
  /** Prisma's `$executeRaw`. For statements that write and return nothing. @returns the number of affected rows */
  execute(statement: Sql): Promise<number>
  /** Prisma's models, for simple work on one table. */
  withModels<T>(work: (client: PrismaClient) => Promise<T>): Promise<T>
  /** Prisma's `$transaction`. */
  transaction<T>(work: (tx: Prisma.TransactionClient) => Promise<T>, limits?: TransactionLimits): Promise<T>
  /**
   * Prisma's `$transaction`, whose statements are sent without waiting for each other.
   * @param timeoutMs the longest wait for the answer to one statement; default: the limit of the store's statements, at
   *   most a minute
   */
  pipelinedTransaction<T>(work: (tx: PipelinedTx) => Promise<T>, timeoutMs?: number): Promise<T>
  /**
   * Prepared statements over the pool. For reads outside of transactions: equal reads that wait share one statement and
   * its rows.
   */
  read: RunRead
  /** As `read` without sharing, for the worker's hot statements: each is planned once a connection. */
  writePrepared: RunWrite
  /**
   * As `read`, over two pipelined connections. For reads that Postgres answers at once, whatever is stored:
   * a slow statement would delay every statement after it.
   */
  lookUp: RunRead
}

export function buildDatabase(
  prisma: PrismaClient,
  parts: {
    pipelined: PipelinedLimits
    prepared: RunWrite
    preparedReads: RunRead
    pipelinedReads: RunRead
  },
): Database {
  return {
    write: <Row>(statement: Sql) => mapStoreErrors(() => prisma.$queryRaw<Row[]>(statement)),
    execute: statement => mapStoreErrors(() => prisma.$executeRaw(statement)),
    withModels: work => mapStoreErrors(() => work(prisma)),
    transaction: (work, limits) =>
      mapStoreErrors(async () => {
        await prisma.$connect()
        loadCompilers()
        return prisma.$transaction(numbering(work), limits)
      }),
    pipelinedTransaction: (work, timeoutMs = parts.pipelined.timeoutMs) =>
      mapStoreErrors(() => runPipelined(prisma, numbering(work), { ...parts.pipelined, timeoutMs })),
    read: (statement, signal) => mapStoreErrors(() => parts.preparedReads(statement, signal)),
    writePrepared: statement => mapStoreErrors(() => parts.prepared(statement)),
    lookUp: (statement, signal) => mapStoreErrors(() => parts.pipelinedReads(statement, signal)),
  }
}
