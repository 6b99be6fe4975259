// Hot statements go to pg directly: through the client's engine a statement of a tenth of a millisecond costs Node
// more than Postgres. They are prepared once a connection, so Postgres does not parse and plan them anew.
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { Prisma } from './generated/client.js'
import type { Sql } from './store.js'
import { types, writeValue } from './wire-values.js'

/** What hot statements need of raw SQL; those that write return what they wrote. */
export type PreparedSql = Pick<Sql, '$queryRaw'>

/**
 * Filters combine to many statements, and each that is prepared takes memory in every connection: the first so
 * many are, which in practice are those that are asked.
 */
const MOST_PREPARED = 200

/** Where statements are run: a pool, or lines. */
interface Asked {
  query(config: pg.QueryConfig): Promise<pg.QueryResult<Record<string, unknown>>>
}

/** Runs raw SQL with the words of the client, so that the same functions run on either. */
export function openPreparedSql(asked: Asked): PreparedSql {
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
    const { rows } = await asked.query({
      name: nameOf(text),
      text,
      values: values.map(writeValue),
      types,
    } as pg.QueryConfig)
    return rows
  }
  return { $queryRaw } as unknown as PreparedSql
}
