// Hot statements go to pg directly: Prisma's engine costs more CPU than Postgres for a statement of 0.1 ms. Each
// connection prepares a statement once, so Postgres parses and plans it once.
import { createHash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { nameConnectionErrors } from '../errors.js'
import { types, writeValue } from './pg-codec.js'
import type { Connections } from './pool-queries.js'
import { shareEqual } from './share-equal.js'
import type { Statement } from './sql.js'

/**
 * Filters combine to many statements, and each prepared statement takes memory in every connection. The first 200
 * statements are prepared; in practice these are the statements in use.
 */
const MOST_PREPARED = 200

/** Publishes every statement that is sent: `{ text, values }`. Costs nothing without a subscriber. */
const statements = channel('payment-tracking:store:statement')

/**
 * @param options.share equal statements that wait at the same time are sent once: for reads. Their callers get the same
 *   rows, which they must not change.
 */
export function prepareStatements(
  connections: Connections,
  { share = false }: { share?: boolean } = {},
): <Row>(statement: Statement, signal?: AbortSignal) => Promise<Row[]> {
  const names = new Map<string, string>()
  const shared = shareEqual<Record<string, unknown>[]>()
  const nameOf = (text: string): string | undefined => {
    const known = names.get(text)
    if (known !== undefined || names.size >= MOST_PREPARED) return known
    const name = createHash('sha1').update(text).digest('base64url')
    names.set(text, name)
    return name
  }
  return async <Row>({ text, values: parameters }: Statement, signal?: AbortSignal) => {
    signal?.throwIfAborted()
    const values = parameters.map(writeValue)
    const name = nameOf(text)
    const send = async (waiting: AbortSignal | undefined) => {
      if (statements.hasSubscribers) statements.publish({ text, values })
      const config = { ...named(name), text, values, types }
      return (await nameConnectionErrors(connections.query(config, waiting))).rows
    }
    const rows =
      share && name !== undefined ? shared(name + JSON.stringify(values), send, signal) : send(signal)
    return (await rows) as Row[]
  }
}

const named = (name: string | undefined): { name?: string } => (name === undefined ? {} : { name })
