// Limits the connections of each client address over all pods, by the same leases as subscriptions. While Redis is
// away, each pod counts only its own connections.
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { clientAddress, countedAddress, type TrustedProxies } from '@payment-tracking/runtime'
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

  addressOf(request: IncomingMessage): string {
    const address = request.socket.remoteAddress ?? ''
    return countedAddress(clientAddress(address, request.headers['x-forwarded-for'], this.#options.trusted))
  }

  /**
   * Checks before the handshake, without Redis, so that connections without a handshake count too. The limit here is
   * doubled, so that the later check can refuse a client with a reason.
   */
  admitRequest(request: IncomingMessage): boolean {
    const address = this.addressOf(request)
    const count = (this.#local.get(address) ?? 0) + 1
    if (count > this.#options.limit * 2) {
      this.#options.metrics.rejections.inc({ code: 'TOO_MANY_CONNECTIONS' })
      return false
    }
    this.#local.set(address, count)
    request.socket.once('close', () => {
      const left = this.#local.get(address)! - 1
      if (left === 0) this.#local.delete(address)
      else this.#local.set(address, left)
    })
    return true
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
    const { seats, metrics, limit } = this.#options
    const connection = socket.conn as unknown as EngineConnection
    const address = this.addressOf(socket.request)
    const close = () => closeConnection(connection, 'TOO_MANY_CONNECTIONS', metrics)
    const name = `address:${createHash('sha256').update(address).digest('base64url').slice(0, 22)}`
    const answer = await seats.acquire({ name, limit, address, onLost: close })
    if ('seat' in answer) {
      const { seat } = answer
      if (connection.readyState === 'open') socket.conn.once('close', () => seat.release())
      else seat.release()
    } else if (answer.refused !== 'unavailable' || this.#local.get(address)! > limit) {
      metrics.rejections.inc({ code: 'TOO_MANY_CONNECTIONS' })
      setTimeout(close, READ_TIME_MS).unref()
      return next(new RefusedConnection())
    }
    next()
  }
}
