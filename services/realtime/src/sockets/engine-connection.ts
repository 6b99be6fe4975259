import { SOCKET_CLOSES, type SocketCloseReason } from '@payment-tracking/contracts'

/** What we rely on of Engine.IO's connection, under a Socket.IO socket as `socket.conn`. */
export interface EngineConnection {
  readonly readyState: 'opening' | 'open' | 'closing' | 'closed'
  /** packets that wait for the transport to take them */
  readonly writeBuffer: readonly unknown[]
  readonly transport: { readonly socket: WebSocketLike }
  readonly remoteAddress: string
  write(data: string, options: object): unknown
  close(discard?: boolean): unknown
  once(event: 'drain', listener: () => void): unknown
}

interface WebSocketLike {
  close(code: number, reason: string): void
  terminate(): void
}

/** A client that does not read cannot confirm the close either. */
const CLOSE_TIMEOUT_MS = 5_000

/** Ends a connection at once, with a close code and reason that a client which still reads will see. */
export function closeConnection(connection: EngineConnection, reason: SocketCloseReason): void {
  if (connection.readyState !== 'open') return
  const webSocket = connection.transport.socket
  webSocket.close(SOCKET_CLOSES[reason], reason)
  // `true` throws the queue away: this is what frees the memory of a stalled client.
  connection.close(true)
  setTimeout(() => webSocket.terminate(), CLOSE_TIMEOUT_MS).unref()
}

/** How long a queue may take to empty before the connection is ended all the same. */
const SEND_TIMEOUT_MS = 1_000

/** Ends a connection when what is queued for it has been handed over. */
export function closeWhenSent(connection: EngineConnection, reason: SocketCloseReason): void {
  const close = () => closeConnection(connection, reason)
  if (connection.writeBuffer.length === 0) return close()
  connection.once('drain', close)
  setTimeout(close, SEND_TIMEOUT_MS).unref()
}
