// Hot statements go to pg directly: through the client's engine a statement of a tenth of a millisecond costs Node
// more than Postgres. They are prepared once a connection, so Postgres does not parse and plan them anew.
import { createHash } from 'node:crypto'
import pg from 'pg'
import { Prisma } from './generated/client.js'
import type { Sql } from './store.js'

/** What hot statements need of raw SQL; those that write return what they wrote. */
export type PreparedSql = Pick<Sql, '$queryRaw'>

/**
 * Filters combine to many statements, and each that is prepared takes memory in every connection: the first so
 * many are, which in practice are those that are asked.
 */
const MOST_PREPARED = 200

/** The numbers by which Postgres calls its types. */
const [INT8, TIMESTAMPTZ] = [20, 1184]
const readTime = pg.types.getTypeParser(TIMESTAMPTZ) as (text: string) => unknown

/** By the platform, three times as fast as by pg; it takes the years before 1000 and odd offsets for others. */
const readTimeFast = (text: string): unknown =>
  text.endsWith('+00') && !text.startsWith('0') ? new Date(text) : readTime(text)

/** Integers of eight bytes are bigints, as the client gives them. */
const types: pg.CustomTypesConfig = {
  getTypeParser: oid => {
    if ((oid as number) === INT8) return BigInt
    if ((oid as number) === TIMESTAMPTZ) return readTimeFast
    return pg.types.getTypeParser(oid) as (text: string) => unknown
  },
}

/** pg would write a time in the zone of this process, which has not always been whole minutes from UTC. */
const writeValue = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value)

/** Runs raw SQL on a pool, with the words of the client, so that the same functions run on either. */
export function openPreparedSql(pool: pg.Pool): PreparedSql {
  const names = new Map<string, string>()
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text)
    if (known !== undefined || names.size >= MOST_PREPARED) return known
    const name = createHash('sha1').update(text).digest('base64url')
    names.set(text, name)
    return name
  }
  const $queryRaw = async (strings: TemplateStringsArray, ...parts: unknown[]) => {
    const { text, values } = Prisma.sql(strings, ...parts)
    const { rows } = await pool.query<Record<string, unknown>>({
      name: nameOf(text),
      text,
      values: values.map(writeValue),
      types,
    })
    return rows
  }
  return { $queryRaw } as unknown as PreparedSql
}
