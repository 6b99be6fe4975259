// Who may connect at all: so many connections for one client address over all pods, counted by the same
// leases as subscriptions. While Redis is away each pod counts for itself.
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

/** Time for a refused client to read why, before its connection is closed. */
const READ_TIME_MS = 1_000

/** Socket.IO's "connect" to the main namespace, which is the only one. */
const JOIN = /^0(?!\/[^,])/

/** What `connect_error` of a refused client shows. */
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
   * Before the handshake, without asking anybody: connections that never say who they are count too. Twice
   * the limit, so that those who are refused with a reason are told it.
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
   * Sees every packet of a connection before Socket.IO does. All are counted: events have a budget of their own,
   * with an answer, but the protocol has packets that are none. And one connection joins once: the protocol
   * would let it join, leave and join again, with new caps each time, and Socket.IO ends one that joins twice
   * without saying why.
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
