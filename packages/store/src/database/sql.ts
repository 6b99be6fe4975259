// Statements are built by the tag of Prisma's client: a value in `${}` travels as a parameter, never as text.
import { Prisma } from '../generated/client.js'

/** A statement, or a part of a statement, with its parameters. */
export type Sql = Prisma.Sql

/** Runs SQL in a transaction. A function that takes a `Tx` uses it for all its statements. */
export type Tx = Pick<Prisma.TransactionClient, '$queryRaw' | '$executeRaw'>

export const { sql, join, raw, empty } = Prisma
