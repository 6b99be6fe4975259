// Statements over a pool for callers who may leave. A statement that nobody waits for gives its connection back: while it waits for a
// connection it is not sent, and while it runs the server is asked to cancel it.
import type pg from 'pg'
import { CANCELLED, sqlStateOf } from '../errors.js'
import { cancelStatement } from './cancel-statement.js'
import { unlessAborted } from './signals.js'
import { wearsOut } from './prepared-names.js'

/** A pool, or the pipelined connections. */
export interface Connections {
  query(config: pg.QueryConfig, signal?: AbortSignal): Promise<pg.QueryResult<Record<string, unknown>>>
}

/** @throws the reason of the signal: the connection that the pool gives later goes back to the pool at once */
async function connectTo(pool: pg.Pool, signal: AbortSignal | undefined): Promise<pg.PoolClient> {
  signal?.throwIfAborted()
  const connecting = pool.connect()
  try {
    return await unlessAborted(connecting, signal)
  } catch (error) {
    connecting.then(client => client.release()).catch(() => {})
    throw error
  }
}

/** Runs statements over a pool. @throws the reason of a statement's signal, as soon as nothing of the statement runs */
export const poolQueries = (pool: pg.Pool): Connections => ({
  async query(config, signal) {
    const client = await connectTo(pool, signal)
    let cancelling = Promise.resolve()
    const cancel = () => {
      cancelling = cancelStatement(client)
      cancelling.catch(() => {})
    }
    signal?.addEventListener('abort', cancel)
    const [answer] = await Promise.allSettled([client.query<Record<string, unknown>>(config)])
    signal?.removeEventListener('abort', cancel)
    // While the request to cancel is under way, it could hit a later statement.
    const [cancelled] = await Promise.allSettled([cancelling])
    const isBroken = answer.status === 'rejected' && sqlStateOf(answer.reason) !== CANCELLED
    client.release(isBroken || cancelled.status === 'rejected' || wearsOut(client, config))
    signal?.throwIfAborted()
    if (answer.status === 'rejected') throw answer.reason
    return answer.value
  },
})
