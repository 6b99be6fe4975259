import { once } from 'node:events'
import {
  SOCKET_PATH,
  type ClientToServerEvents,
  type ErrorMessage,
  type PaymentMessage,
  type RetractionMessage,
  type ServerToClientEvents,
  type SubscribeReply,
} from '@payment-tracking/contracts'
import { openRedis, type Announcement } from '@payment-tracking/redis'
import { openStore } from '@payment-tracking/store/core'
import {
  createDatabase,
  startService,
  useRedis,
  type TestContext,
  type TestDatabase,
  type TestRedis,
} from '@payment-tracking/testkit'
import { Redis } from 'ioredis'
import { io, type Socket } from 'socket.io-client'
import { WebSocket } from 'ws'
import { committedPaymentsOf, writePayments, type WritePaymentsOptions } from './write-payments.js'

export type Client = Socket<ServerToClientEvents, ClientToServerEvents>

export const epochOf = async ({ pool }: TestDatabase): Promise<string> =>
  (await pool.query<{ epoch: string }>('select epoch::text from stream_head')).rows[0]!.epoch

/**
 * A database, a key prefix in Redis, and pods on both as separate processes.
 * @param servers private servers that the test may kill; default: the shared servers of the run
 */
export async function usePods(
  t: TestContext,
  settings: Record<string, string> = {},
  servers?: { databaseUrl?: string; redisUrl: string; isCluster?: boolean },
) {
  const database = await createDatabase(t, servers?.databaseUrl ? { serverUrl: servers.databaseUrl } : {})
  const redis = servers ? usePrivateRedis(t, servers.redisUrl) : await useRedis(t)
  const isCluster = servers?.isCluster === true
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    ...(isCluster && { REDIS_CLUSTER: 'on' }),
    ENVIRONMENT: redis.prefix,
    PORT: '0',
    // All clients of a test share one address; other tests cover the caps of addresses.
    MAX_CONNECTIONS_PER_ADDRESS: '100000',
    MAX_TRACKING_ID_CONNECTIONS_PER_ADDRESS: '100000',
    'realtime.longestDrainMs': '50',
    ...settings,
  }
  const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  const connections = openRedis({
    REDIS_URL: redis.url,
    REDIS_CLUSTER: isCluster,
    ENVIRONMENT: redis.prefix,
  })
  t.teardown(async () => {
    await connections.close()
    await store.close()
  })
  await once(connections.commands, 'ready')
  const commit = (options: WritePaymentsOptions) => writePayments(database.pool, options)
  const epoch = await epochOf(database)
  /** In the epoch in which the test began unless `announcement` names one. */
  const announce = (announcement: Omit<Announcement, 'epoch'> & { epoch?: string }) =>
    connections.announce({ epoch, ...announcement })
  return {
    env,
    database,
    redis,
    store,
    connections,
    /** Commits payments without an announcement. */
    commit,
    announce,
    start: (more?: Record<string, string>) => startPod(t, { ...env, ...more }),
    /** Commits payments and announces them. */
    async pay(options: WritePaymentsOptions) {
      const seqs = await commit(options)
      await announce({ payments: await committedPaymentsOf(store, options.trackingId, seqs) })
      return seqs
    },
  }
}

/** @param urls one or, of a cluster, several: `client` looks into the first */
function usePrivateRedis(t: TestContext, urls: string): TestRedis {
  const client = new Redis(urls.split(',')[0]!)
  client.on('error', () => {})
  t.teardown(() => client.disconnect())
  return { url: urls, prefix: 'private', client }
}

export async function startPod(t: TestContext, env: Record<string, string>) {
  const service = await startService(t, 'realtime', env)
  const { port } = (await service.waitForLog('service.listening')) as unknown as { port: number }
  const url = `http://127.0.0.1:${port}`
  return { service, url, connect: (options?: object) => connectTo(t, url, options) }
}

export type Pod = Awaited<ReturnType<typeof startPod>>
export type Pods = Awaited<ReturnType<typeof usePods>>

/** A client with its own connection, closed at the end of the test. */
export function connectTo(t: TestContext, url: string, options: object = {}): Client {
  const client: Client = io(url, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    forceNew: true,
    reconnectionDelay: 50,
    reconnectionDelayMax: 500,
    ...options,
  })
  t.teardown(() => client.disconnect())
  return client
}

/** An open bare WebSocket, for messages that no Socket.IO client would send. */
export async function openRaw(t: TestContext, url: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${SOCKET_PATH}/?EIO=4&transport=websocket`)
  t.teardown(() => socket.terminate())
  socket.on('error', () => {})
  await once(socket, 'open')
  return socket
}

/** The payments that a client received, by `seq`, in the order of their arrival. */
export function collectPayments(client: Client): PaymentMessage[] {
  const received: PaymentMessage[] = []
  client.on('payment', message => received.push(message))
  return received
}

export function collectRetractions(client: Client): RetractionMessage[] {
  const received: RetractionMessage[] = []
  client.on('retraction', message => received.push(message))
  return received
}

export function collectErrors(client: Client): ErrorMessage[] {
  const errors: ErrorMessage[] = []
  client.on('error', message => errors.push(message))
  return errors
}

/** Subscribes and waits for the acknowledgement callback. */
export async function subscribe(
  client: Client,
  request: Record<string, unknown>,
): Promise<Extract<SubscribeReply, { ok: true }>> {
  const reply = await trySubscribe(client, request)
  if (!reply.ok) throw new Error(`refused: ${reply.code} ${reply.message}`)
  return reply
}

export const trySubscribe = (client: Client, request: unknown): Promise<SubscribeReply> =>
  client.timeout(30_000).emitWithAck('subscribe', request)
