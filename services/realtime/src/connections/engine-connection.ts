import { SOCKET_CLOSES, type SocketCloseReason } from '@payment-tracking/contracts'
import type { RealtimeMetrics } from '../metrics.js'

/** The parts of Engine.IO's connection that this service relies on: `socket.conn` of a Socket.IO socket. */
export interface EngineConnection {
  readonly readyState: 'opening' | 'open' | 'closing' | 'closed'
  /** packets that wait for the transport */
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
  /** null after the socket has closed */
  readonly _socket: { readonly writableLength: number } | null
}

/**
 * Sends a finished WebSocket frame. While the client keeps up, the frame bypasses Engine.IO, whose queue and events
 * cost more than the write. When data still waits in Engine.IO or in the socket, the frame joins Engine.IO's queue, in
 * order. The length of that queue shows how far the client lags. (`bufferedAmount` does not show this: the queue
 * grows before the WebSocket.)
 */
export function sendFrame(connection: EngineConnection, frame: SharedFrame): void {
  const { transport, writeBuffer } = connection
  const { _sender, _socket } = transport.socket
  if (transport.writable && writeBuffer.length === 0 && _socket?.writableLength === 0) {
    _sender.sendFrame(frame.now)
    return
  }
  // No text beside the frame: the transport writes the frame unchanged.
  connection.write('', { preEncoded: true, compress: false, wsPreEncodedFrame: frame.later })
}

/** A frame for many connections: the received bytes for immediate writes, one shared copy for all queues. */
export class SharedFrame {
  readonly now: readonly Buffer[]
  #later: readonly Buffer[] | undefined

  constructor(bytes: Buffer) {
    this.now = [bytes]
  }

  /** The received bytes are part of a large read buffer, which a queue would keep in memory. */
  get later(): readonly Buffer[] {
    this.#later ??= [Buffer.from(this.now[0]!)]
    return this.#later
  }
}

/** A client that does not read cannot confirm the close. */
const CLOSE_TIMEOUT_MS = 5_000

/**
 * Drops the connection of a silent client. Engine.IO gives such a client up, but then waits for the client's close
 * frame and holds the file descriptor and a connection of the client's address meanwhile.
 */
export function dropWhenSilent(connection: EngineConnection): void {
  const webSocket = connection.transport.socket
  connection.once('close', reason => {
    if (reason === 'ping timeout') webSocket.terminate()
  })
}

/** Ends a connection at once, with a close code and a reason for a client that still reads. */
export function closeConnection(
  connection: EngineConnection,
  reason: SocketCloseReason,
  metrics: RealtimeMetrics,
): void {
  if (connection.readyState !== 'open') return
  metrics.closes.inc({ reason })
  const webSocket = connection.transport.socket
  webSocket.close(SOCKET_CLOSES[reason], reason)
  // `true` discards the queue, which frees the memory of a stalled client.
  connection.close(true)
  setTimeout(() => webSocket.terminate(), CLOSE_TIMEOUT_MS).unref()
}

/** How long a queue may take to empty before the connection is closed in any case. */
const SEND_TIMEOUT_MS = 1_000

/** Closes a connection after its queue has been written. */
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
