import { EventEmitter } from 'node:events'
import {
  readAllowedOrigins,
  readTrustedProxies,
  repeat,
  type Intake,
  type Logger,
  type Metrics,
} from '@payment-tracking/runtime'
import { Seats, type PaymentReader, type RedisConnections } from '@payment-tracking/redis'
import { buildPaymentAdapter } from '@payment-tracking/redis/adapter'
import { rememberLeaseUse } from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import type { RealtimeConfig } from './config.js'
import { DatabaseEpoch } from './history/database-epoch.js'
import { History } from './history/history.js'
import { createRealtimeMetrics } from './metrics.js'
import { Healer } from './rooms/healer.js'
import { Incoming } from './rooms/incoming.js'
import { ExpectationWatch } from './rooms/expectation-watch.js'
import { LifecycleWatch } from './rooms/lifecycle-watch.js'
import { RetractionHealer } from './rooms/retraction-healer.js'
import { Rooms, type Room } from './rooms/rooms.js'
import { ConnectionAdmission } from './sockets/connection-admission.js'
import { drainSockets } from './sockets/drain.js'
import { closeConnection, dropWhenSilent, type EngineConnection } from './connections/engine-connection.js'
import { buildSocketServer } from './sockets/socket-server.js'
import { SocketSession } from './sockets/socket-session.js'
import { PaymentStreams } from './streams/payment-streams.js'
import { Subscriptions } from './subscriptions/subscriptions.js'
import { drainWindowMs, type RealtimeTunables } from './tunables.js'

export interface RealtimeParts {
  config: RealtimeConfig
  tunables: RealtimeTunables
  store: Store
  redis: RedisConnections
  metrics: Metrics
  log: Logger
  /** The database was replaced: this pod's knowledge of payments is invalid. */
  onOtherDatabase: (error: Error) => void
}

const SAMPLE_INTERVAL_MS = 500

export interface Realtime extends Intake {
  /** Rejects while this pod may not send because it holds no lease. */
  probeLease(): Promise<void>
}

/** A realtime pod. Building starts nothing; `intake` listens. */
export function buildRealtime(parts: RealtimeParts): Realtime {
  const { config, tunables, store, redis, metrics: registry, log, onOtherDatabase } = parts
  const metrics = createRealtimeMetrics(registry)
  const subscriber = redis.connect('subscriber', { enableOfflineQueue: true })

  /** What becomes of this pod's right to send: announced to parts that are built from the seats. */
  const fence = new EventEmitter<{ fenced: []; lifted: [] }>()
  const seats = new Seats({
    redis: redis.commands,
    subscriber,
    keys: redis.keys,
    leaseMs: tunables.leaseMs,
    timeoutMs: Math.min(2_000, tunables.leaseMs / 4),
    firstUse: initialise => rememberLeaseUse(store, config.ENVIRONMENT, initialise),
    onFenced: () => {
      log.warn('seats.fenced')
      fence.emit('fenced')
    },
    onLifted: () => {
      log.info({ seats: seats.size }, 'seats.held')
      fence.emit('lifted')
    },
    onError: err => log.debug({ err }, 'seats.call-failed'),
  })
  const rooms = new Rooms({
    metrics,
    maxQueuedPackets: tunables.queuedPackets,
    mayDeliver: () => seats.mayDeliver(),
  })
  const retractions = new RetractionHealer({ rooms, store, metrics })
  const databaseEpoch = new DatabaseEpoch({ store, log, onOtherDatabase })
  const healer = new Healer({
    rooms,
    store,
    metrics,
    log,
    intervalMs: tunables.healEveryMs,
    retractions,
    databaseEpoch,
  })
  void databaseEpoch.known.then(() => healer.healSoon())
  // Payments that were announced while the connection was away, or while this pod was fenced, did not reach it.
  subscriber.on('ready', () => void healer.healAll())
  fence.on('lifted', () => void healer.healAll())
  const incoming = new Incoming({ rooms, healer, retractions, metrics })
  const lifecycle = new LifecycleWatch({
    rooms,
    store,
    metrics,
    log,
    intervalMs: tunables.lifecycleEveryMs,
    soonSeconds: config.DUE_SOON_SECONDS,
    graceSeconds: config.OVERDUE_GRACE_SECONDS,
  })
  const expectations = new ExpectationWatch({
    rooms,
    store,
    log,
    intervalMs: tunables.expectationEveryMs,
  })
  const subscriptions = new Subscriptions({
    rooms,
    seats,
    history: new History(store),
    lifecycle,
    expectations,
    serves: epoch => databaseEpoch.serves(epoch),
    metrics,
    log,
    limit: config.MAX_CONNECTIONS_PER_TRACKING_ID,
    addressLimit: config.MAX_TRACKING_ID_CONNECTIONS_PER_ADDRESS,
  })
  const admission = new ConnectionAdmission({
    seats,
    metrics,
    limit: config.MAX_CONNECTIONS_PER_ADDRESS,
    trusted: readTrustedProxies(config.TRUST_PROXY),
    // Twice the budget of events: that budget answers a client before this limit closes the connection.
    packetsPerSecond: tunables.messagesPerSecond * 2,
    packetBurst: tunables.messageBurst * 4,
  })
  const reader: PaymentReader<Room> = {
    accepts: epoch => databaseEpoch.accepts(epoch),
    findRoom: trackingId => rooms.find(trackingId),
    onPayment: (room, payment) => incoming.receive(room, payment),
    onLifecycle: (room, lifecycleFrame) => lifecycle.receive(room, lifecycleFrame),
    onExpectation: (room, expectation) => expectations.receive(room, expectation),
  }
  const adapter = buildPaymentAdapter({
    publisher: redis.commands,
    subscriber,
    keys: redis.keys,
    ...reader,
  })
  redis.listenToShards(reader, () => healer.healSoon())
  const streams = new PaymentStreams({
    subscriptions,
    admission,
    metrics,
    log,
    allowedOrigins: readAllowedOrigins(config.CORS_ORIGIN),
    maxQueuedEvents: tunables.queuedPackets,
    mayDeliver: () => seats.mayDeliver(),
  })
  const server = buildSocketServer(
    config,
    tunables,
    adapter,
    request => admission.admitRequest(request),
    (request, response) => streams.serve(request, response),
  )
  const connections = () =>
    [...server.io.of('/').sockets.values()].map(({ conn }) => conn as unknown as EngineConnection)
  fence.on('fenced', () => {
    // Frames that were queued before the fence fell must not be sent afterwards.
    for (const connection of connections()) {
      if (connection.writeBuffer.length > 0) closeConnection(connection, 'SLOW_CONSUMER', metrics)
    }
    streams.closeUnsent()
  })

  server.io.engine.on('connection', (connection: EngineConnection) => {
    admission.watch(connection)
    dropWhenSilent(connection)
  })
  server.io.use((socket, next) => void admission.admit(socket, next))
  server.io.on('connection', socket => {
    const networks = admission.networksOf(socket.request)
    new SocketSession({ socket, networks, subscriptions, config, tunables, metrics, log })
    metrics.connections.inc()
    socket.once('disconnect', () => metrics.connections.dec())
  })

  const sampling = repeat({
    everyMs: SAMPLE_INTERVAL_MS,
    run: () => {
      const longest = connections().reduce((most, { writeBuffer }) => Math.max(most, writeBuffer.length), 0)
      metrics.queuedPackets.set(longest)
      rooms.countDeliveries()
    },
    onError: err => log.error({ err }, 'metrics.not-sampled'),
  })
  const keepingAlive = repeat({
    everyMs: tunables.keepAliveEveryMs,
    run: () => streams.keepAlive(),
    onError: err => log.error({ err }, 'streams.not-kept-alive'),
  })
  return {
    async start() {
      seats.start()
      const port = await server.listen()
      databaseEpoch.start()
      healer.start()
      lifecycle.start()
      expectations.start()
      sampling.start()
      keepingAlive.start()
      log.info({ host: config.HOST, port }, 'service.listening')
    },
    probeLease: () => {
      if (seats.mayDeliver()) return Promise.resolve()
      const { problem } = seats
      return Promise.reject(new Error(`this pod holds no lease${problem ? `: ${problem.message}` : ''}`))
    },
    async stop() {
      server.stopListening()
      const windowMs = drainWindowMs(config.STOP_DEADLINE_MS, tunables)
      await Promise.all([drainSockets(server.io, windowMs, metrics), streams.drain(windowMs)])
      await Promise.all([sampling.stop(), keepingAlive.stop()])
      rooms.countDeliveries()
      await Promise.all([databaseEpoch.stop(), healer.stop(), lifecycle.stop(), expectations.stop()])
      await server.io.close()
      await seats.close()
    },
  }
}
