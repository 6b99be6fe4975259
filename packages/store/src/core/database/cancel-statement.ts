import type { Socket } from 'node:net'
import pg from 'pg'

/** A server that does not take the request within this time is left alone. */
const CANCEL_WITHIN_MS = 2_000

/** What the types of pg lack. */
interface Session {
  host: string
  port: number
  processID: number
  secretKey: number
}
interface CancelConnection extends pg.Connection {
  connect(portOrSocket: number | string, host?: string): void
  cancel(processId: number, secretKey: number): void
}

/**
 * Asks the server to cancel the statement that a connection runs. The server takes the request on a connection of its own, without
 * TLS and sign-in, sends the signal, and closes it. So after the promise no later statement of the session can be hit.
 * @throws when the server did not answer: whether a later statement will be hit is not known
 */
export function cancelStatement(client: pg.ClientBase): Promise<void> {
  const { host, port, processID, secretKey } = client as unknown as Session
  const connection = new pg.Connection({}) as CancelConnection
  const stream = connection.stream as Socket
  stream.setTimeout(CANCEL_WITHIN_MS, () => stream.destroy(new Error('the server does not take a cancel')))
  return new Promise((resolve, reject) => {
    connection.on('error', reject)
    connection.once('end', resolve)
    connection.once('connect', () => connection.cancel(processID, secretKey))
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
    else connection.connect(port, host)
  })
}
