// The client that docs/realtime.md describes: it remembers its last `seq`, reconnects after every loss, buffers
// payments that arrive before the acknowledgement, and applies each `seq` once and in order.
import { setTimeout as sleep } from 'node:timers/promises'
import { SOCKET_PATH, type SocketPayment, type SubscribeReply } from '@payment-tracking/contracts'
import type { TestContext } from '@payment-tracking/testkit'
import { io } from 'socket.io-client'
import type { Client } from './use-pods.js'

export interface SteadyClientOptions {
  trackingId: string
  /** the address of the next connection */
  url: () => string
  /** the local address of connections, so that load balancers see different clients */
  localAddress?: string
}

export class SteadyClient {
  /** The applied payments, in order: 1, 2, 3… when none is missing. */
  readonly applied: number[] = []
  /** How many payments came again. */
  duplicates = 0
  connects = 0
  readonly replayMs: number[] = []
  readonly #options: SteadyClientOptions
  #early = new Map<number, SocketPayment>()
  #socket: Client | undefined
  #caughtUp = false
  #epoch: string | undefined
  #resume: string | undefined
  #stopped = false

  constructor(t: TestContext, options: SteadyClientOptions) {
    this.#options = options
    t.teardown(() => this.stop())
    this.#connect()
  }

  get trackingId(): string {
    return this.#options.trackingId
  }

  get last(): number {
    return this.applied.at(-1) ?? 0
  }

  get caughtUp(): boolean {
    return this.#caughtUp
  }

  stop(): void {
    this.#stopped = true
    this.#socket?.disconnect()
  }

  /** Cuts the network without a close frame. */
  drop(): void {
    const engine = this.#socket?.io.engine as unknown as { transport?: { ws?: { terminate(): void } } }
    engine?.transport?.ws?.terminate()
  }

  #connect(): void {
    const { url, localAddress } = this.#options
    const socket: Client = io(url(), {
      path: SOCKET_PATH,
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
      timeout: 5_000,
      ...(localAddress === undefined ? {} : { localAddress }),
    })
    this.#socket = socket
    const again = () => void this.#later(socket, () => this.#connect())
    socket.on('connect', () => {
      this.connects++
      void this.#catchUp(socket)
    })
    socket.on('connect_error', again)
    socket.on('disconnect', again)
    socket.on('payment', ({ data }) => this.#take(data))
    socket.on('error', ({ data }) => {
      // The seat was lost while the connection lives: subscribe again.
      if (this.#caughtUp && data.code === 'TOO_MANY_CONNECTIONS') void this.#catchUp(socket)
    })
  }

  async #later(socket: Client, work: () => void): Promise<void> {
    this.#caughtUp = false
    await sleep(20 + Math.random() * 80)
    if (!this.#stopped && this.#socket === socket) work()
  }

  async #catchUp(socket: Client): Promise<void> {
    const startedAtMs = performance.now()
    this.#caughtUp = false
    for (;;) {
      const { trackingId } = this.#options
      const request = { trackingId, since: this.last, epoch: this.#epoch, resume: this.#resume }
      const reply: SubscribeReply | undefined = await socket
        .timeout(5_000)
        .emitWithAck('subscribe', request)
        .catch(() => undefined)
      if (!socket.connected || this.#stopped) return
      if (!reply?.ok) {
        await sleep(50 + Math.random() * 100)
        continue
      }
      this.#epoch = reply.epoch
      this.#resume = reply.resume
      for (const payment of reply.replay) this.#apply(payment)
      if (reply.more) continue
      this.#caughtUp = true
      this.replayMs.push(performance.now() - startedAtMs)
      this.#applyEarly()
      return
    }
  }

  #take(payment: SocketPayment): void {
    if (payment.seq === this.last + 1) this.#apply(payment)
    else if (payment.seq > this.last) this.#early.set(payment.seq, payment)
    else this.duplicates++
    this.#applyEarly()
  }

  #applyEarly(): void {
    for (let next; (next = this.#early.get(this.last + 1));) this.#apply(next)
    for (const seq of this.#early.keys()) if (seq <= this.last) this.#early.delete(seq)
  }

  #apply(payment: SocketPayment): void {
    if (payment.seq <= this.last) this.duplicates++
    else this.applied.push(payment.seq)
  }
}
