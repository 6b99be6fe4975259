// The system under test: its own servers, two of each service, a link between each process and each server it
// speaks to, and one base URL before them.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildJwtKeys, openEdge, openServers } from '@payment-tracking/stack'
import { migrate } from '@payment-tracking/store/core'
import {
  type Link,
  openLink,
  openPostgresPair,
  queryOnce,
  splitTunables,
  waitFor,
} from '@payment-tracking/testkit'
import { Redis } from 'ioredis'
import {
  LINKS,
  REPLICAS,
  SERVICES,
  serviceOf,
  type ServerName,
  type ServiceName,
} from '../plan/fault-plan.js'
import { startSentinels, type RedisBehindSentinels } from '../../servers/start-sentinels.js'
import { keepProcess, type KeptProcess } from './kept-process.js'

export interface BreakableServer {
  readonly pid: number
  kill(): Promise<void>
  restart(): Promise<void>
}

export interface SystemOptions {
  dataDir: string
  /** Where services/<name>/dist/service.js lies: the repository, or a copy that was broken on purpose. */
  root: string
  log: (line: string) => void
  /** with a standby of Postgres that can be promoted */
  withStandby: boolean
  /** with a replica of Redis, and Sentinels that put the replica in the primary's place */
  withSentinels: boolean
  /** processes of each service; default REPLICAS */
  replicas?: number
}

const DATABASE_NAME = 'chaos'

/** Longer than any process needs on a loaded machine. A process that is not ready then never will be. */
const READY_WITHIN_MS = 150_000

/** At most so many connections a tracking ID: few, so that there is a fight. */
export const SEATS = 4

const LEASE_MS = 2_500
/** Longer than a busy machine makes a healthy endpoint wait: four time-outs are a failed delivery. */
export const WEBHOOK_TIMEOUT_MS = 4_000

/** Everything that waits by the clock waits shortly, so that a short run sees it end. */
const SETTINGS = {
  ENVIRONMENT: 'production',
  LOG_LEVEL: 'info',
  STOP_DEADLINE_MS: '8000',
  'ingest.ackWaitMs': '4000',
  'ingest.sweepEveryMs': '1000',
  'ingest.retentionEveryMs': '1000',
  RATE_LIMIT_MAX: '1000000',
  TRUST_PROXY: 'on',
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
  WEBHOOK_BACKOFF_MS: '150',
  WEBHOOK_TIMEOUT_MS: String(WEBHOOK_TIMEOUT_MS),
  'webhook-worker.claimMarginMs': '1000',
  'webhook-worker.overdueMs': '1000',
  WEBHOOK_CONCURRENCY: '64',
  'webhook-worker.dueCheckEveryMs': '1000',
  MAX_CONNECTIONS_PER_TRACKING_ID: String(SEATS),
  MAX_TRACKING_ID_CONNECTIONS_PER_ADDRESS: '1000',
  MAX_CONNECTIONS_PER_ADDRESS: '1000',
  'realtime.leaseMs': String(LEASE_MS),
  'realtime.longestDrainMs': '500',
  'realtime.healEveryMs': '2000',
  OPS_TOKEN: 'a token of this run alone',
}

const PORT_VARIABLES: Partial<Record<ServiceName, string>> = {
  api: 'PORT',
  realtime: 'PORT',
  ops: 'OPS_PORT',
}

export async function openSystem(options: SystemOptions) {
  const { dataDir, root, log, withStandby, withSentinels, replicas = REPLICAS } = options
  const teardowns: (() => unknown)[] = []
  const owner = { name: 'chaos', teardown: (end: () => unknown) => teardowns.push(end) }
  const pair = withStandby ? await openPostgresPair(owner) : undefined
  const sentinels = withSentinels ? await startSentinels(owner) : undefined
  const urls = {
    ...(pair && { postgres: pair.url }),
    ...(sentinels && { redis: sentinels.settings.REDIS_URL }),
  }
  const servers = await openServers({ dataDir, durable: false, quietPorts: true, log, urls })
  const database = new URL(servers.databaseUrl)
  database.pathname = `/${DATABASE_NAME}`
  await migrate(database.href)
  const addresses: Record<ServerName, [variable: string, url: string]> = {
    postgres: ['DATABASE_URL', database.href],
    redis: ['REDIS_URL', servers.redisUrl],
    nats: ['NATS_URL', servers.natsUrl],
  }
  const links = new Map<string, Link>()
  const processes: KeptProcess[] = []
  const jwtKeys = buildJwtKeys()
  mkdirSync(join(dataDir, 'logs'), { recursive: true })
  for (const service of SERVICES) {
    for (let replica = 1; replica <= replicas; replica++) {
      const name = `${service}-${replica}`
      const { env: settings, args } = splitTunables(service, SETTINGS)
      const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, ...settings, JWT_PRIVATE_KEYS: jwtKeys }
      for (const server of LINKS[service]) {
        if (server === 'redis' && sentinels) {
          // Sentinels name the primary's own address: no link can stand between.
          Object.assign(env, sentinels.settings)
          continue
        }
        const [variable, url] = addresses[server]
        const link = await openLink(owner, url)
        links.set(`${name} ${server}`, link)
        env[variable] = link.url
      }
      processes.push(
        keepProcess({
          name,
          main: join(root, 'services', service, 'dist', 'service.js'),
          env,
          args,
          ...(PORT_VARIABLES[service] && { portVariable: PORT_VARIABLES[service] }),
          logFile: join(dataDir, 'logs', `${name}.log`),
        }),
      )
    }
  }
  const portsOf = (service: string) =>
    processes.flatMap(({ name, port }) => (serviceOf(name) === service && port !== undefined ? [port] : []))
  const edge = await openEdge({
    host: '127.0.0.1',
    port: 0,
    trustedProxies: false,
    portsOf,
  })
  log(`${replicas} of each of ${SERVICES.join(', ')} of ${pathToFileURL(root).pathname} behind ${edge.url}`)
  const redisServer = sentinels && breakPrimary(sentinels)
  const stop = () =>
    Promise.all(processes.map(async process => ({ name: process.name, code: await process.stop() })))
  return {
    baseUrl: edge.url,
    servers,
    /** A server that faults are done to. */
    server: (name: ServerName): BreakableServer =>
      (name === 'postgres' && pair) || (name === 'redis' && redisServer) || servers.private[name]!,
    /** Primary and standby, in runs that promote. */
    pair,
    /** The last position that the standby has. */
    async standbyPosition() {
      const standby = new URL(pair!.standbys[0]!.url)
      standby.pathname = database.pathname
      const [head] = await queryOnce<{ position: string }>(
        standby.href,
        'select position::text from stream_head',
      )
      return Number(head!.position)
    },
    /** Leads directly to the server, for the comparison. */
    databaseUrl: database.href,
    processes,
    process: (name: string) => processes.find(process => process.name === name)!,
    link: (process: string, server: ServerName) => links.get(`${process} ${server}`)!,
    /** A client of Redis that waits while no primary is there. */
    openRedis: () => {
      const redis =
        sentinels?.connect() ??
        new Redis(servers.redisUrl, { maxRetriesPerRequest: null, retryStrategy: () => 100 })
      redis.on('error', () => {})
      return redis
    },
    /**
     * Resolves when every process answered ready to a question asked after now.
     * @throws Error after `withinMs`, with the last answer of each process that is not ready
     */
    async waitUntilReady(withinMs = READY_WITHIN_MS) {
      const now = performance.now()
      const unready = () => processes.filter(({ readyAskedMs }) => readyAskedMs < now)
      await waitFor(() => unready().length === 0, { what: 'all processes', timeoutMs: withinMs }).catch(
        () => {
          const answers = unready().map(({ name, lastAnswer }) => `${name} (${lastAnswer})`)
          throw new Error(`not ready after ${withinMs} ms: ${answers.join('; ')}`)
        },
      )
    },
    stop,
    async close() {
      await stop()
      await edge.close()
      await servers.close()
      for (const teardown of teardowns.reverse()) await teardown()
    },
  }
}

export type System = Awaited<ReturnType<typeof openSystem>>

/**
 * The primary of the moment. After each kill the Sentinels promote its replica, and the killed server starts again as the
 * replica of that one. Before they have decided it would answer as a second primary: a split brain, in which more clients than
 * seats may be sent to (docs/realtime.md).
 */
function breakPrimary(sentinels: RedisBehindSentinels): BreakableServer {
  let killed = sentinels.primary
  return {
    get pid() {
      return sentinels.primary.pid
    },
    async kill() {
      await sentinels.replicated()
      killed = sentinels.primary
      await killed.kill()
    },
    async restart() {
      const what = 'the Sentinels to promote the replica'
      await waitFor(() => sentinels.primary !== killed, { what, timeoutMs: 60_000 })
      await killed.restart()
    },
  }
}
