// A Redis Cluster and a Sentinel's port answer PING like any Redis, so a service must ask what they are.
import { createDatabase, startService, useNats } from '@payment-tracking/testkit'
import t from 'tap'
import { startRedis } from './start-redis.js'

const REFUSED = {
  'a node of a Redis Cluster': {
    settings: ['cluster-enabled yes'],
    reason: /node of a Redis Cluster, which is not supported/,
  },
  'a Sentinel': {
    settings: ['sentinel monitor payments 127.0.0.1 1 1'],
    reason: /leads to a Sentinel, which stores nothing: name it in REDIS_SENTINELS/,
  },
}

for (const [what, { settings, reason }] of Object.entries(REFUSED))
  t.test(`every service refuses to start on ${what}, and says why`, async t => {
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
      OPS_TOKEN: 'a-token-of-sixteen-or-more',
    }
    const ends = async (name: string) => {
      const service = await startService(t, name, env, { waitUntilReady: false })
      t.equal(await service.exited, 1, `${name} ended`)
      t.match(service.output, /REDIS_UNSUPPORTED/, name)
      t.match(service.output, reason, name)
    }
    await Promise.all(['ingest', 'realtime', 'webhook-worker', 'ops'].map(ends))
  })
