// Hot statements go to pg directly: Prisma's engine costs more CPU than Postgres for a statement of 0.1 ms. Each
// connection prepares a statement once, so Postgres parses and plans it once.
import { channel } from 'node:diagnostics_channel'
import { nameConnectionErrors } from '../errors.js'
import { types, writeValue } from './pg-codec.js'
import type { Connections } from './pool-queries.js'
import { PreparedNames, type PreparedLimits } from './prepared-names.js'
import { shareEqual } from './share-equal.js'
import type { Statement } from './sql.js'

/**
 * Filters combine to many statements, and each prepared statement takes memory in every connection. The most used are prepared:
 * a stranger who combines filters takes no place of what everybody reads.
 */
const PREPARED: PreparedLimits = { most: 200, every: 2_000 }

/** Publishes every statement that is sent: `{ text, values }`. Costs nothing without a subscriber. */
const statements = channel('payment-tracking:store:statement')

/**
 * @param options.share equal statements that wait at the same time are sent once: for reads. Their callers get the same
 *   rows, which they must not change.
 * @param options.limits of what is prepared
 */
export function prepareStatements(
  connections: Connections,
  { share = false, limits = PREPARED }: { share?: boolean; limits?: PreparedLimits } = {},
): <Row>(statement: Statement, signal?: AbortSignal) => Promise<Row[]> {
  const names = new PreparedNames(limits)
  const shared = shareEqual<Record<string, unknown>[]>()
  return async <Row>({ text, values: parameters }: Statement, signal?: AbortSignal) => {
    signal?.throwIfAborted()
    const values = parameters.map(writeValue)
    const name = names.use(text)
    const send = async (waiting: AbortSignal | undefined) => {
      if (statements.hasSubscribers) statements.publish({ text, values })
      const config = { ...(name !== undefined && { name }), text, values, types }
      return (await nameConnectionErrors(connections.query(config, waiting))).rows
    }
    const rows =
      share && name !== undefined ? shared(name + JSON.stringify(values), send, signal) : send(signal)
    return (await rows) as Row[]
  }
}
