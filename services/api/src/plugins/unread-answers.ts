// Answers that were handed to a connection and that its client has not taken yet. They are memory of this process,
// so there is a bound for all of them together, and a time for each.
import type { Socket } from 'node:net'

/** Below this rate a client is not reading, it is holding: 8 KiB a second, in bytes a millisecond. */
const SLOWEST_BYTES_PER_MS = 8

interface UnreadAnswer {
  readonly socket: Socket
  readonly bytes: number
  readonly sinceMs: number
  /** bytes of the connection that the system had taken, and when that last changed */
  taken: number
  takenAtMs: number
}

/**
 * Bytes that the system has taken from a socket to send them. Node's own timeout of a socket is no measure: a client
 * that reads nothing can put it off by sending a byte. How much of one write is left, only the handle tells.
 */
export function bytesTaken(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null }
  return socket.bytesWritten - (handle?.writeQueueSize ?? socket.writableLength)
}

/** Why a connection was closed; the label `reason` of the metric. */
export type CloseReason = 'stalled' | 'too-slow' | 'too-much-unread'

export interface UnreadOptions {
  /** of all answers together */
  limitBytes: number
  /** how long an answer may take beside the time that the slowest allowed rate gives it */
  stallMs: number
  onClose: (reason: CloseReason) => void
}

export class UnreadAnswers {
  readonly #answers = new Set<UnreadAnswer>()
  #bytes = 0

  constructor(private readonly options: UnreadOptions) {}

  get bytes(): number {
    return this.#bytes
  }

  /**
   * Notes an answer. Beyond the limit, the connections that have held theirs longest are closed.
   * @returns must be called when the answer was taken or its connection is gone
   */
  add(socket: Socket, bytes: number, nowMs: number): () => void {
    const answer = { socket, bytes, sinceMs: nowMs, taken: bytesTaken(socket), takenAtMs: nowMs }
    this.#answers.add(answer)
    this.#bytes += bytes
    for (const oldest of this.#answers) {
      if (this.#bytes <= this.options.limitBytes) break
      this.#close(oldest, 'too-much-unread')
    }
    return () => this.#forget(answer)
  }

  /** Closes the connections whose clients took too long; to be called every second or so. */
  closeSlow(nowMs: number): void {
    const { stallMs } = this.options
    for (const answer of this.#answers) {
      const taken = bytesTaken(answer.socket)
      if (taken !== answer.taken) Object.assign(answer, { taken, takenAtMs: nowMs })
      if (nowMs - answer.takenAtMs > stallMs) this.#close(answer, 'stalled')
      else if (nowMs - answer.sinceMs > stallMs + answer.bytes / SLOWEST_BYTES_PER_MS) {
        this.#close(answer, 'too-slow')
      }
    }
  }

  #close(answer: UnreadAnswer, reason: CloseReason): void {
    this.#forget(answer)
    if (answer.socket.destroyed) return
    this.options.onClose(reason)
    answer.socket.destroy()
  }

  #forget(answer: UnreadAnswer): void {
    if (this.#answers.delete(answer)) this.#bytes -= answer.bytes
  }
}
