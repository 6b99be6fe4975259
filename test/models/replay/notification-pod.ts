// A pod of services/realtime for notification.qnt: its parts as app.ts puts them together, without what looks at the clock. Its
// reads wait at a gate for their steps, and what it heals waits for `heal`.
import type { PaymentReader, Seats } from '@payment-tracking/redis'
import { createLogger, createMetrics } from '@payment-tracking/runtime'
import type { Store } from '@payment-tracking/store/core'
import { DatabaseEpoch } from '../../../services/realtime/src/history/database-epoch.js'
import { History } from '../../../services/realtime/src/history/history.js'
import { createRealtimeMetrics } from '../../../services/realtime/src/metrics.js'
import { Healer } from '../../../services/realtime/src/rooms/healer.js'
import { Incoming } from '../../../services/realtime/src/rooms/incoming.js'
import { RetractionHealer } from '../../../services/realtime/src/rooms/retraction-healer.js'
import { Rooms, type Room } from '../../../services/realtime/src/rooms/rooms.js'
import { buildSocketServer } from '../../../services/realtime/src/sockets/socket-server.js'
import { SocketSession } from '../../../services/realtime/src/sockets/socket-session.js'
import { Subscriptions } from '../../../services/realtime/src/subscriptions/subscriptions.js'
import { REALTIME_TUNABLES } from '../../../services/realtime/src/tunables.js'
import type { RealtimeConfig } from '../../../services/realtime/src/config.js'
import { readPayments } from '../../../packages/redis/src/fanout/payment-frame.js'
import { ReadGate } from './read-gate.js'

const log = createLogger('model', { LOG_LEVEL: 'silent', ENVIRONMENT: 'model' })
const config = {
  CORS_ORIGIN: '*',
  MAX_SUBSCRIPTIONS_PER_CONNECTION: 10,
  HOST: '127.0.0.1',
  PORT: 0,
} as RealtimeConfig
const tunables = REALTIME_TUNABLES
const SEATS = 100

/** Shows which epoch it serves. */
class ShownEpoch extends DatabaseEpoch {
  shown: string | null = null
  override serves(epoch: string): boolean {
    const isServed = super.serves(epoch)
    if (isServed) this.shown = epoch
    return isServed
  }
}

/** @param heldTimers runs what `heal` put off */
export async function openNotificationPod(
  store: Store,
  seats: Seats,
  { breakText, heldTimers }: { breakText: (text: string) => string; heldTimers: () => void },
) {
  const gate = new ReadGate(store, breakText)
  const gated = gate.gated
  const metrics = createRealtimeMetrics(createMetrics())
  const rooms = new Rooms({
    metrics,
    maxQueuedPackets: tunables.queuedPackets,
    mayDeliver: () => !pod.fenced && seats.mayDeliver(),
  })
  const retractions = new RetractionHealer({ rooms, store: gated, metrics })
  const databaseEpoch = new ShownEpoch({ store: gated, log, onOtherDatabase: () => (hasEnded = true) })
  const healer = new Healer({
    rooms,
    store: gated,
    metrics,
    log,
    intervalMs: tunables.healEveryMs,
    retractions,
    databaseEpoch,
  })
  void databaseEpoch.known.then(() => healer.healSoon())
  const incoming = new Incoming({ rooms, healer, retractions, metrics })
  const subscriptions = new Subscriptions({
    rooms,
    seats,
    history: new History(gated),
    serves: epoch => databaseEpoch.serves(epoch),
    metrics,
    log,
    limit: SEATS,
    addressLimit: SEATS,
    lifecycle: { watch: () => Promise.resolve() },
    expectations: { watch: () => Promise.resolve(null) },
  })
  const { io, http, listen } = buildSocketServer(
    config,
    tunables,
    undefined as never,
    () => true,
    () => false,
  )
  io.on('connection', socket => {
    new SocketSession({ socket, networks: ['somebody'], subscriptions, config, tunables, metrics, log })
  })
  const reader: PaymentReader<Room> = {
    accepts: epoch => databaseEpoch.accepts(epoch),
    findRoom: trackingId => rooms.find(trackingId),
    onPayment: (room, payment) => incoming.receive(room, payment),
    onLifecycle: () => {},
    onExpectation: () => {},
  }
  let hasEnded = false
  const pod = {
    gate,
    rooms,
    port: await listen(),
    /** what `mayDeliver` says no to */
    fenced: false,
    /** It met another epoch: its process ends. */
    get hasEnded() {
      return hasEnded
    },
    /** null until it is read */
    get epoch() {
      return databaseEpoch.shown
    },
    receive: (message: Buffer) => readPayments(message, reader),
    async heal() {
      await healer.healAll()
      heldTimers()
    },
    close() {
      io.disconnectSockets(true)
      http.close()
      http.closeAllConnections()
    },
  }
  return pod
}

export type NotificationPod = Awaited<ReturnType<typeof openNotificationPod>>
