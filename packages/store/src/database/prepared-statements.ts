// Hot statements go to pg directly: Prisma's engine costs more CPU than Postgres for a statement of 0.1 ms. Each
// connection prepares a statement once, so Postgres parses and plans it once.
import { createHash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import type pg from 'pg'
import { nameConnectionErrors } from '../errors.js'
import type { RunStatement } from './database.js'
import { types, writeValue } from './pg-codec.js'

/**
 * Filters combine to many statements, and each prepared statement takes memory in every connection. The first 200
 * statements are prepared; in practice these are the statements in use.
 */
const MOST_PREPARED = 200

/** A pool, or the pipelined connections. */
interface Connections {
  query(config: pg.QueryConfig): Promise<pg.QueryResult<Record<string, unknown>>>
}

/** Publishes every statement that is sent: `{ text, values }`. Costs nothing without a subscriber. */
const statements = channel('payment-tracking:store:statement')

export function prepareStatements(connections: Connections): RunStatement {
  const names = new Map<string, string>()
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text)
    if (known !== undefined || names.size >= MOST_PREPARED) return known
    const name = createHash('sha1').update(text).digest('base64url')
    names.set(text, name)
    return name
  }
  return async <Row>({ text, values: parameters }: Parameters<RunStatement>[0]) => {
    const values = parameters.map(writeValue)
    if (statements.hasSubscribers) statements.publish({ text, values })
    const { rows } = await nameConnectionErrors(
      connections.query({ ...named(nameOf(text)), text, values, types }),
    )
    return rows as Row[]
  }
}

const named = (name: string | undefined): { name?: string } => (name === undefined ? {} : { name })
