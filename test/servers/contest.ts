// Many more clients than seats, each asking again and again, and a count of who is sent to.
import { setTimeout as sleep } from 'node:timers/promises'
import { SOCKET_PATH, type SubscribeReply } from '@payment-tracking/contracts'
import { waitFor, type TestContext } from '@payment-tracking/testkit'
import { io } from 'socket.io-client'
import type { Client } from '../../services/realtime/test/use-pods.js'

/** Long enough for all pods that may send to have sent. */
const SAMPLE_MS = 250

export interface ContestOptions {
  trackingId: string
  contenders: number
  url: () => string
}

/**
 * A sample is one payment: of those who received it, how many are still connected and subscribed when it has
 * had time to reach everybody. These were all sent to, and could all be sent to again.
 */
export class Contest {
  /** the largest sample */
  most = 0
  samples = 0
  readonly #options: ContestOptions
  readonly #seated = new Set<Client>()
  readonly #receivers = new Map<number, Set<Client>>()
  #stopped = false

  constructor(t: TestContext, options: ContestOptions) {
    this.#options = options
    t.teardown(() => (this.#stopped = true))
    for (let n = 0; n < options.contenders; n++) this.#enter(t)
  }

  waitUntilFull(seats: number): Promise<unknown> {
    return waitFor(() => this.#seated.size >= seats, { what: 'all seats taken', timeoutMs: 60_000 })
  }

  #enter(t: TestContext): void {
    const socket: Client = io(this.#options.url(), {
      path: SOCKET_PATH,
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
    })
    const leave = () => {
      this.#seated.delete(socket)
      socket.disconnect()
      if (!this.#stopped) setTimeout(() => this.#enter(t), 50 + Math.random() * 100)
    }
    t.teardown(() => socket.disconnect())
    socket.on('connect', () => void this.#ask(socket))
    socket.on('connect_error', leave)
    socket.on('disconnect', leave)
    socket.on('payment', ({ data }) => this.#receive(socket, data.seq))
    socket.on('error', ({ data }) => {
      if (this.#seated.delete(socket) && data.code === 'TOO_MANY_CONNECTIONS') void this.#ask(socket)
    })
  }

  async #ask(socket: Client): Promise<void> {
    const { trackingId } = this.#options
    while (socket.connected && !this.#stopped) {
      const reply: SubscribeReply | undefined = await socket
        .timeout(5_000)
        .emitWithAck('subscribe', { trackingId })
        .catch(() => undefined)
      if (reply?.ok) {
        this.#seated.add(socket)
        return
      }
      await sleep(100 + Math.random() * 200)
    }
  }

  #receive(socket: Client, seq: number): void {
    const receivers = this.#receivers.get(seq)
    if (receivers) return void receivers.add(socket)
    const first = new Set([socket])
    this.#receivers.set(seq, first)
    setTimeout(() => {
      const seated = [...first].filter(client => client.connected && this.#seated.has(client))
      this.samples++
      this.most = Math.max(this.most, seated.length)
      // Later arrivals are healing, and no longer of this moment.
      this.#receivers.set(seq, new Set())
    }, SAMPLE_MS).unref()
  }
}
