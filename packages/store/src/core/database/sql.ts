// What queries are made of: statements, and what runs them. Statements are built by the tag of Prisma's client: a value in `${}` travels
// as a parameter, never as text.
import type { PoolUse } from '@payment-tracking/runtime'
import { Prisma, type PrismaClient } from '../../generated/client.js'

/** Rows of tables, as prisma/schema.prisma has them. */
export type {
  ApiKey,
  DeadLetter,
  DeliveryAttempt,
  Gap,
  GatewayChange,
  Webhook,
} from '../../generated/client.js'

/** A statement, or a part of a statement, with its parameters. */
export type Sql = Prisma.Sql

/** A statement that pg runs: its text with `$1`, `$2` and so on, and their values. */
export type Statement = Pick<Sql, 'text' | 'values'>

/** Runs SQL in a transaction. A function that takes a `Tx` uses it for all its statements. */
export interface Tx {
  $queryRaw<Rows>(statement: TemplateStringsArray | Sql, ...values: unknown[]): Promise<Rows>
  /** @returns the number of affected rows */
  $executeRaw(statement: TemplateStringsArray | Sql, ...values: unknown[]): Promise<number>
}

/** The same, with the models of Prisma's client. */
export type ClientTx = Prisma.TransactionClient

/** A pipelined transaction. Its statements run in the order of their calls, awaited or not. */
export interface PipelinedTx extends Tx {
  /** Does not wait. Later statements see the change; a failure fails the transaction. */
  send(statement: Sql): void
  /** What `work` sends, to different tables, is one statement. It calls nothing else of the transaction. */
  together(work: () => void): void
  /** As `send`, by a model of Prisma. */
  sendModel(write: (client: Prisma.TransactionClient) => PromiseLike<unknown>): void
  /** Prisma's models. Whatever is called after it waits for it. */
  withModels<T>(work: (client: Prisma.TransactionClient) => PromiseLike<T>): Promise<T>
}

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

/** The handle for this package's queries. Services pass the handle on and cannot run statements with it. */
export interface Store {
  /** @internal */
  readonly database: Database
  /** Resolves when Postgres answers. @throws StoreUnavailableError, and SessionSettingsError before anything is asked */
  ping(): Promise<void>
  poolUse(): PoolUse
  close(): Promise<void>
}

export const { sql, join, raw, empty } = Prisma

/** A list of integers as a parameter, with the type that Postgres could not tell from the text. Null stays null. */
export const bigints = (values: readonly (bigint | number | string | null)[]): Sql =>
  sql`${values.map(value => (value === null ? null : String(value)))}::bigint[]`

/** A number in the text of a statement: a kept plan knows it, where it knows no parameter. */
export const inline = (value: number | bigint): Sql => raw(String(value))

/** No value in a column of type `json`, in the models of Prisma's client. */
export const { DbNull } = Prisma

/** The statement of a tag's arguments, or the statement itself. */
export const toStatement = (query: TemplateStringsArray | Sql, values: unknown[]): Sql =>
  'raw' in query ? sql(query, ...values) : query

/** Conditions joined by `and`; an empty list is always true. */
export const allOf = (conditions: Sql[]): Sql =>
  conditions.length === 0 ? sql`true` : join(conditions, ' and ')

/** Statements that write different tables as one statement: each sees what was there before all of them. */
export const asOne = (statements: readonly Sql[]): Sql =>
  statements.length === 1
    ? statements[0]!
    : sql`with ${join(statements.slice(1).map((statement, at) => sql`w${inline(at)} as (${statement})`))} ${statements[0]!}`

/**
 * A value that the planner does not see, not even where it makes a plan for one call: it is computed when the statement
 * runs. So a plan for one call never looks cheaper than the plan for all, and Postgres keeps that one.
 */
export const hidden = (value: Sql): Sql => sql`(select ${value})`

const FIRST_MS = Date.parse('0001-01-01T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** Converts milliseconds since the epoch for Postgres; a year of more than four digits becomes infinity. */
export function asTimestamp(ms: number): Sql {
  if (ms > LAST_MS) return sql`'infinity'::timestamptz`
  if (ms < FIRST_MS) return sql`'-infinity'::timestamptz`
  return sql`${new Date(ms)}::timestamptz`
}
