// Statements are built by the tag of Prisma's client: a value in `${}` travels as a parameter, never as text.
import { Prisma } from '../../generated/client.js'

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
