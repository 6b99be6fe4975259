import { setTimeout as sleep } from 'node:timers/promises'
import type { WebSocket } from 'ws'

/** A reader that does not take this much has fallen behind. */
const FULL_BYTES = 1024 * 1024
/** And has caught up when this little is left. */
const DRAINED_BYTES = 128 * 1024

/**
 * What was handed to a socket and has not left the process. The socket's own buffer has no bound; this says
 * when to stop filling it.
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

  /** @returns false when the reader took nothing near enough in that time */
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
