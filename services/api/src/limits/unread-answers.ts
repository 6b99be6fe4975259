// Answers that were written to a connection and that the client has not read yet. They occupy memory of this process,
// so their total has a bound, and each answer has a time limit.
import type { Socket } from 'node:net'

/** A client below this rate is blocking, not reading: 8 KiB a second, in bytes a millisecond. */
const SLOWEST_BYTES_PER_MS = 8

interface UnreadAnswer {
  readonly socket: Socket
  readonly bytes: number
  readonly sinceMs: number
  /** bytes of the connection that the system has taken, and the time of the last change */
  taken: number
  takenAtMs: number
}

/**
 * Bytes that the system has taken from a socket to send. Node's socket timeout does not measure this: a client that
 * reads nothing can delay that timeout by sending a byte. Only the socket's handle knows how much of a write is left.
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
  /** how long an answer may take beyond the time at the slowest allowed rate */
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
   * Records an answer. Beyond the limit, closes the connections that have held their answers longest.
   * @returns a function to call when the answer was read or its connection is gone
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

  /** Closes the connections of clients that read too slowly. Call about every second. */
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
