// Pods for the benches.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { openRedis, type RedisConnections } from '@payment-tracking/redis'
import { openStore, type Store } from '@payment-tracking/store/core'
import {
  createDatabase,
  startService,
  type StartedService,
  type TestDatabase,
} from '@payment-tracking/testkit'
import { epochOf } from '../../services/realtime/test/use-pods.js'
import type { BenchContext } from './bench.js'

export interface BenchPod {
  service: StartedService
  url: string
}

export interface BenchPods {
  database: TestDatabase
  redis: RedisConnections
  /** of the database: announcements name it */
  epoch: string
  store: Store
  pods: BenchPod[]
}

/** The real service, with the caps of addresses out of the way. */
export async function startPod(context: BenchContext, env: Record<string, string>): Promise<BenchPod> {
  const service = await startService(context, 'realtime', {
    PORT: '0',
    MAX_CONNECTIONS_PER_ADDRESS: '1000000',
    MAX_TRACKING_ID_CONNECTIONS_PER_ADDRESS: '1000000',
    'realtime.longestDrainMs': '0',
    ...env,
  })
  const { port } = await service.waitForLog('service.listening')
  return { service, url: `http://127.0.0.1:${String(port)}` }
}

export async function openPods(
  context: BenchContext,
  count: number,
  settings: Record<string, string> = {},
): Promise<BenchPods> {
  const { servers } = context
  // Others may use the same Redis: payments of theirs would count as received already.
  const environment = `bench-${randomBytes(3).toString('hex')}`
  const database = await createDatabase(context, { serverUrl: servers.databaseUrl })
  const store = openStore({ DATABASE_URL: database.url, poolSize: 4 })
  const redis = openRedis({ REDIS_URL: servers.redisUrl, ENVIRONMENT: environment })
  context.teardown(async () => {
    await redis.close()
    await store.close()
  })
  await once(redis.commands, 'ready')
  const pods = await Promise.all(
    Array.from({ length: count }, () =>
      startPod(context, {
        DATABASE_URL: database.url,
        REDIS_URL: servers.redisUrl,
        ENVIRONMENT: environment,
        ...settings,
      }),
    ),
  )
  return { database, redis, epoch: await epochOf(database), store, pods }
}
