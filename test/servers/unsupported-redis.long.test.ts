// A node of a Redis Cluster, a single Redis and a Sentinel's port answer PING alike, so a service must ask what they are.
import { buildJwtKeys } from '@payment-tracking/stack'
import { createDatabase, startService, useNats, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { startRedis } from './start-redis.js'

interface Refused {
  /** of the server */
  settings: string[]
  env?: (url: string) => Record<string, string>
  reason: RegExp
  /** default: two, one for each Redis of a deployment */
  services?: string[]
}

const ALL = ['ingest', 'api', 'realtime', 'webhook-worker', 'ops']

const REFUSED: Record<string, Refused> = {
  'a node of a Redis Cluster without REDIS_CLUSTER': {
    settings: ['cluster-enabled yes'],
    reason: /REDIS_URL leads to a node of a Redis Cluster: set REDIS_CLUSTER=on/,
    services: ALL,
  },
  'several nodes without REDIS_CLUSTER': {
    settings: ['cluster-enabled yes'],
    env: url => ({ REDIS_URL: `${url},${url}` }),
    reason: /REDIS_URL names several servers: set REDIS_CLUSTER=on/,
  },
  'a single Redis with REDIS_CLUSTER': {
    settings: [],
    env: () => ({ REDIS_CLUSTER: 'on' }),
    reason:
      /REDIS_CLUSTER is on and REDIS_URL leads to a Redis that is no node of a cluster: set REDIS_CLUSTER=off/,
    services: ALL,
  },
  'a single Redis of its own for sockets, as a cluster': {
    settings: [],
    env: url => ({ REALTIME_REDIS_URL: url, REALTIME_REDIS_CLUSTER: 'on' }),
    reason: /REALTIME_REDIS_CLUSTER is on and REALTIME_REDIS_URL leads to .*: set REALTIME_REDIS_CLUSTER=off/,
    services: ['ingest', 'realtime'],
  },
  'REDIS_CLUSTER beside Sentinels': {
    settings: [],
    env: () => ({ REDIS_CLUSTER: 'on', REDIS_SENTINELS: '127.0.0.1:1', REDIS_MASTER: 'payments' }),
    reason: /REDIS_CLUSTER and REDIS_SENTINELS exclude each other/,
  },
  'a database number with REDIS_CLUSTER': {
    settings: ['cluster-enabled yes'],
    env: url => ({ REDIS_URL: `${url}/3`, REDIS_CLUSTER: 'on' }),
    reason: /REDIS_URL names database 3: a Redis Cluster has database 0 alone/,
  },
  'a Sentinel': {
    settings: ['sentinel monitor payments 127.0.0.1 1 1'],
    reason: /leads to a Sentinel, which stores nothing: name it in REDIS_SENTINELS/,
  },
}

for (const [
  what,
  { settings, env: more, reason, services = ['realtime', 'webhook-worker'] },
] of Object.entries(REFUSED))
  t.test(`services refuse to start on ${what}, and say why`, async t => {
    const [redis, database, nats] = await Promise.all([
      startRedis(t, settings),
      createDatabase(t),
      useNats(t),
    ])
    const env = {
      REDIS_URL: redis.url,
      DATABASE_URL: database.url,
      NATS_URL: nats.url,
      STREAM_NAME: nats.stream,
      SUBJECT_PREFIX: nats.subjectPrefix,
      PORT: '0',
      OPS_PORT: '0',
      JWT_PRIVATE_KEYS: buildJwtKeys(),
      OPS_TOKEN: 'a-token-of-sixteen-or-more',
      ...more?.(redis.url),
    }
    const ends = async (name: string) => {
      const service = await startService(t, name, env, { waitUntilReady: false })
      t.equal(await service.exited, 1, `${name} ended`)
      // The last output may come after the end of the process.
      await waitFor(() => reason.test(service.output), { what: `${name} to say ${String(reason)}` })
      t.match(service.output, /REDIS_UNSUPPORTED/, name)
      const hasBegun = service.logs.some(({ msg }) => msg === 'service.ready' || msg === 'service.listening')
      t.notOk(hasBegun, `${name} began nothing`)
    }
    await Promise.all(services.map(ends))
  })
