// Limits the connections of each client address over all pods, by the same leases as subscriptions. While Redis is
// away, each pod counts only its own connections.
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { clientAddress, countedNetworks, networkLimit, type TrustedProxies } from '@payment-tracking/runtime'
import type { Seats } from '@payment-tracking/redis'
import type { RealtimeMetrics } from '../metrics.js'
import { closeConnection, type EngineConnection } from '../connections/engine-connection.js'
import { MessageBudget } from './message-budget.js'
import type { ClientSocket } from './socket-session.js'

export interface ConnectionAdmissionOptions {
  seats: Seats
  metrics: RealtimeMetrics
  limit: number
  trusted: TrustedProxies
  /** packets of any kind that a connection may send, on average and at once */
  packetsPerSecond: number
  packetBurst: number
}

/** A connection of either kind, as far as its seat is concerned. */
export interface AdmittedConnection {
  isOpen(): boolean
  onceClosed(release: () => void): void
  /** The seat is lost. */
  close(): void
}

/** The time in which a refused client can read the reason before its connection is closed. */
const READ_TIME_MS = 1_000

/** Socket.IO's "connect" to the main namespace, the only namespace. */
const JOIN = /^0(?!\/[^,])/

/** The error that `connect_error` of a refused client shows. */
class RefusedConnection extends Error {
  readonly data = { code: 'TOO_MANY_CONNECTIONS', message: 'too many connections from your address' }
  constructor() {
    super('TOO_MANY_CONNECTIONS')
  }
}

export class ConnectionAdmission {
  readonly #options: ConnectionAdmissionOptions
  readonly #local = new Map<string, number>()

  constructor(options: ConnectionAdmissionOptions) {
    this.#options = options
  }

  /** The client's address and the networks around it, the narrowest first. */
  networksOf(request: IncomingMessage): readonly string[] {
    const address = request.socket.remoteAddress ?? ''
    return countedNetworks(clientAddress(address, request.headers['x-forwarded-for'], this.#options.trusted))
  }

  /**
   * Checks before the handshake, without Redis, so that connections without a handshake count too. The limit here is
   * doubled, so that the later check can refuse a client with a reason.
   */
  admitRequest(request: IncomingMessage): boolean {
    const networks = this.networksOf(request)
    if (this.#isOver(networks, this.#options.limit * 2 - 1)) {
      this.#options.metrics.rejections.inc({ code: 'TOO_MANY_CONNECTIONS' })
      return false
    }
    for (const network of networks) this.#local.set(network, this.#countOf(network) + 1)
    request.socket.once('close', () => {
      for (const network of networks) {
        const left = this.#countOf(network) - 1
        if (left === 0) this.#local.delete(network)
        else this.#local.set(network, left)
      }
    })
    return true
  }

  #countOf(network: string): number {
    return this.#local.get(network) ?? 0
  }

  /** Whether one of the networks has more connections on this pod than its part of the limit. */
  #isOver(networks: readonly string[], limit: number): boolean {
    return networks.some((network, index) => this.#countOf(network) > networkLimit(limit, index))
  }

  /**
   * Sees every packet of a connection before Socket.IO does, and counts all packets: events have their own budget, with
   * an answer, but the protocol has packets beside events. Allows one join per connection: the protocol would let a
   * client join, leave and join again, with new caps each time, and Socket.IO ends a client that joins twice without a
   * reason.
   */
  watch(connection: EngineConnection): void {
    const { packetsPerSecond, packetBurst, metrics } = this.#options
    const budget = new MessageBudget(packetsPerSecond, packetBurst, performance.now())
    let joined = false
    connection.on('packet', ({ type, data }) => {
      const joins = type === 'message' && typeof data === 'string' && JOIN.test(data)
      if (!(joins && joined) && budget.spend(performance.now()) === 'within') {
        joined ||= joins
        return
      }
      closeConnection(connection, 'RATE_LIMITED', metrics)
    })
  }

  /** For `io.use`. */
  async admit(socket: ClientSocket, next: (error?: Error) => void): Promise<void> {
    const connection = socket.conn as unknown as EngineConnection
    const close = () => closeConnection(connection, 'TOO_MANY_CONNECTIONS', this.#options.metrics)
    const networks = this.networksOf(socket.request)
    const isAdmitted = await this.takeSeat(networks, {
      close,
      isOpen: () => connection.readyState === 'open',
      onceClosed: release => void socket.conn.once('close', release),
    })
    if (isAdmitted) return next()
    setTimeout(close, READ_TIME_MS).unref()
    next(new RefusedConnection())
  }

  /**
   * Takes one of the seats of the client's address, until the connection closes.
   * @returns false when the address has as many connections as it may have
   */
  async takeSeat(networks: readonly string[], connection: AdmittedConnection): Promise<boolean> {
    const { seats, metrics, limit } = this.#options
    const widest = networks.at(-1)!
    const name = `address:${createHash('sha256').update(widest).digest('base64url').slice(0, 22)}`
    const answer = await seats.acquire({
      name,
      limit: networkLimit(limit, networks.length - 1),
      networks,
      addressLimit: limit,
      onLost: () => connection.close(),
    })
    if ('seat' in answer) {
      const { seat } = answer
      if (connection.isOpen()) connection.onceClosed(() => seat.release())
      else seat.release()
    } else if (answer.refused !== 'unavailable' || this.#isOver(networks, limit)) {
      metrics.rejections.inc({ code: 'TOO_MANY_CONNECTIONS' })
      return false
    }
    return true
  }
}
