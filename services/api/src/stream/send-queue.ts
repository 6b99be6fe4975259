import { setTimeout as sleep } from 'node:timers/promises'
import type { WebSocket } from 'ws'

/** A client with more unread bytes than this has fallen behind. */
const FULL_BYTES = 1024 * 1024
/** A client with fewer unread bytes than this has caught up. */
const DRAINED_BYTES = 128 * 1024

/**
 * Bytes that were written to a socket and have not left the process. The socket's own buffer has no bound; this queue
 * tells when to stop writing.
 */
export class SendQueue {
  #waitingBytes = 0
  #onDrained: (() => void) | undefined

  constructor(private readonly socket: WebSocket) {}

  get isFull(): boolean {
    return this.#waitingBytes > FULL_BYTES
  }

  send(text: string): void {
    const bytes = Buffer.byteLength(text)
    this.#waitingBytes += bytes
    this.socket.send(text, () => {
      this.#waitingBytes -= bytes
      if (this.#waitingBytes <= DRAINED_BYTES) this.#onDrained?.()
    })
  }

  /** @returns false when the client did not read enough within that time */
  async drained(timeoutMs: number): Promise<boolean> {
    if (this.#waitingBytes <= DRAINED_BYTES) return true
    const late = new AbortController()
    const drained = new Promise<boolean>(resolve => (this.#onDrained = () => resolve(true)))
    const tooLate = sleep(timeoutMs, false, { signal: late.signal, ref: false }).catch(() => false)
    try {
      return await Promise.race([drained, tooLate])
    } finally {
      this.#onDrained = undefined
      late.abort()
    }
  }
}
