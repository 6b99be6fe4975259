import { SOCKET_CLOSES, type SocketCloseReason } from '@payment-tracking/contracts'
import type { RealtimeMetrics } from '../metrics.js'

/** What we rely on of Engine.IO's connection, under a Socket.IO socket as `socket.conn`. */
export interface EngineConnection {
  readonly readyState: 'opening' | 'open' | 'closing' | 'closed'
  /** packets that wait for the transport to take them */
  readonly writeBuffer: readonly unknown[]
  readonly transport: { readonly writable: boolean; readonly socket: WebSocketLike }
  readonly remoteAddress: string
  write(data: string, options: object): unknown
  close(discard?: boolean): unknown
  once(event: 'drain', listener: () => void): unknown
  once(event: 'close', listener: (reason: string) => void): unknown
  on(event: 'packet', listener: (packet: { type: string; data?: unknown }) => void): unknown
}

interface WebSocketLike {
  close(code: number, reason: string): void
  terminate(): void
  readonly _sender: { sendFrame(frames: readonly Buffer[]): void }
  /** null when it has closed */
  readonly _socket: { readonly writableLength: number } | null
}

/**
 * Sends a finished WebSocket frame. While the client keeps up, past Engine.IO: its queue and events cost more
 * than the write. When anything is still waiting, on the client's side of the system or in Engine.IO, the frame
 * goes into Engine.IO's queue, in order, and the length of that queue says how far the client is behind.
 * (`bufferedAmount` does not: the queue grows before the WebSocket.)
 */
export function sendFrame(connection: EngineConnection, frame: SharedFrame): void {
  const { transport, writeBuffer } = connection
  const { _sender, _socket } = transport.socket
  if (transport.writable && writeBuffer.length === 0 && _socket?.writableLength === 0) {
    _sender.sendFrame(frame.now)
    return
  }
  // No text beside the frame: the transport writes the frame as it is.
  connection.write('', { preEncoded: true, compress: false, wsPreEncodedFrame: frame.later })
}

/** A frame for many connections: as it came for those who take it now, one copy for all who queue it. */
export class SharedFrame {
  readonly now: readonly Buffer[]
  #later: readonly Buffer[] | undefined

  constructor(bytes: Buffer) {
    this.now = [bytes]
  }

  /** The bytes are part of a large read buffer, which a queue would keep alive. */
  get later(): readonly Buffer[] {
    this.#later ??= [Buffer.from(this.now[0]!)]
    return this.#later
  }
}

/** A client that does not read cannot confirm the close either. */
const CLOSE_TIMEOUT_MS = 5_000

/**
 * Lets go of a connection whose client is silent: Engine.IO gives up on it and then still waits for its
 * goodbye, holding the file and a place of its address.
 */
export function dropWhenSilent(connection: EngineConnection): void {
  const webSocket = connection.transport.socket
  connection.once('close', reason => {
    if (reason === 'ping timeout') webSocket.terminate()
  })
}

/** Ends a connection at once, with a close code and reason that a client which still reads will see. */
export function closeConnection(
  connection: EngineConnection,
  reason: SocketCloseReason,
  metrics: RealtimeMetrics,
): void {
  if (connection.readyState !== 'open') return
  metrics.closes.inc({ reason })
  const webSocket = connection.transport.socket
  webSocket.close(SOCKET_CLOSES[reason], reason)
  // `true` throws the queue away: this is what frees the memory of a stalled client.
  connection.close(true)
  setTimeout(() => webSocket.terminate(), CLOSE_TIMEOUT_MS).unref()
}

/** How long a queue may take to empty before the connection is ended all the same. */
const SEND_TIMEOUT_MS = 1_000

/** Ends a connection when what is queued for it has been handed over. */
export function closeWhenSent(
  connection: EngineConnection,
  reason: SocketCloseReason,
  metrics: RealtimeMetrics,
): void {
  const close = () => closeConnection(connection, reason, metrics)
  if (connection.writeBuffer.length === 0) return close()
  connection.once('drain', close)
  setTimeout(close, SEND_TIMEOUT_MS).unref()
}
