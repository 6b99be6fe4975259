import type { Intake, Logger, Metrics } from '@payment-tracking/runtime'
import { buildPaymentAdapter, type Signal } from '@payment-tracking/signal'
import type { Store } from '@payment-tracking/store'
import type { RealtimeConfig } from './config.js'
import { History } from './history/history.js'
import { createRealtimeMetrics } from './metrics.js'
import { Healer } from './rooms/healer.js'
import { Rooms } from './rooms/rooms.js'
import { clientAddress } from './sockets/client-address.js'
import { buildSocketServer } from './sockets/socket-server.js'
import { SocketSession } from './sockets/socket-session.js'
import { Subscriptions } from './subscriptions/subscriptions.js'

export interface RealtimeParts {
  config: RealtimeConfig
  store: Store
  signal: Signal
  metrics: Metrics
  log: Logger
}

/** A realtime pod. Building starts nothing: the intake listens. */
export function buildRealtime({ config, store, signal, metrics: registry, log }: RealtimeParts): Intake {
  const metrics = createRealtimeMetrics(registry)
  const rooms: Rooms = new Rooms({
    metrics,
    maxQueuedPackets: config.MAX_QUEUED_PACKETS,
    mayDeliver: () => true,
    onGap: room => healer.noticeGap(room),
  })
  const healer = new Healer({ rooms, store, metrics, log, intervalMs: config.HEAL_INTERVAL_MS })
  const subscriptions = new Subscriptions({ rooms, history: new History(store), metrics, log })
  const subscriber = signal.connect('subscriber', { enableOfflineQueue: true })
  // What was announced while the connection was away went to nobody.
  subscriber.on('ready', () => void healer.healAll())
  const adapter = buildPaymentAdapter({
    publisher: signal.redis,
    subscriber,
    keys: signal.keys,
    hasRoom: name => rooms.has(name),
    onPayment: (name, frame) => rooms.receive(name, frame),
  })
  const server = buildSocketServer(config, adapter)
  server.io.on('connection', socket => {
    const { headers, address } = socket.handshake
    new SocketSession({
      socket,
      address: clientAddress(address, headers['x-forwarded-for'], config.TRUST_PROXY),
      subscriptions,
      config,
      metrics,
      log,
    })
    metrics.connections.inc()
    socket.once('disconnect', () => metrics.connections.dec())
  })
  return {
    async start() {
      const port = await server.listen()
      healer.start()
      log.info({ host: config.HOST, port }, 'service.listening')
    },
    async stop() {
      healer.stop()
      await server.io.close()
    },
  }
}
