// Redis with a replica and three Sentinels that put the replica in the primary's place.
import { waitFor, type TestContext } from '@payment-tracking/testkit'
import { Redis } from 'ioredis'
import { startRedis } from './start-redis.js'

const NAME = 'payments'

export async function startSentinels(t: TestContext) {
  const first = await startRedis(t)
  const second = await startRedis(t, [`replicaof 127.0.0.1 ${first.port}`])
  const sentinels = await Promise.all(
    [1, 2, 3].map(() =>
      startRedis(t, [
        `sentinel monitor ${NAME} 127.0.0.1 ${first.port} 2`,
        `sentinel down-after-milliseconds ${NAME} 500`,
        `sentinel failover-timeout ${NAME} 2000`,
      ]),
    ),
  )
  const sentinel = new Redis(sentinels[0]!.url)
  sentinel.on('error', () => {})
  t.teardown(() => sentinel.disconnect())
  await waitFor(
    async () => {
      const [state] = (await sentinel.call('sentinel', 'masters')) as string[][]
      const of = (key: string) => Number(state![state!.indexOf(key) + 1])
      return of('num-slaves') === 1 && of('num-other-sentinels') === 2
    },
    { what: 'the Sentinels to know each other and the replica', timeoutMs: 30_000 },
  )
  let primary = first
  await sentinel.subscribe('+switch-master')
  sentinel.on('message', (_, message: string) => {
    const port = Number(message.split(' ').at(-1))
    primary = port === second.port ? second : first
  })
  return {
    /** What a service is told. */
    settings: {
      // The address does not count beside Sentinels: only user, password and TLS are taken from the URL.
      REDIS_URL: 'redis://nowhere.invalid:1',
      REDIS_SENTINELS: sentinels.map(({ port }) => `127.0.0.1:${port}`).join(', '),
      REDIS_MASTER: NAME,
    },
    /** At first the first is the primary. */
    servers: [first, second] as const,
    /** The one that the Sentinels call the primary. */
    get primary() {
      return primary
    },
    /** Resolves when the primary has its replica: the Sentinels can promote no other. */
    async replicated() {
      const client = new Redis(primary.url, { maxRetriesPerRequest: null })
      const has = async () => /^slave0:.*state=online/m.test(await client.info('replication'))
      await waitFor(has, { what: 'the primary to have its replica', timeoutMs: 60_000 })
      client.disconnect()
    },
    /** A client that follows the primary, and waits while there is none. */
    connect: () =>
      new Redis({
        sentinels: sentinels.map(({ port }) => ({ host: '127.0.0.1', port })),
        name: NAME,
        maxRetriesPerRequest: null,
        retryStrategy: () => 100,
      }),
  }
}

export type RedisBehindSentinels = Awaited<ReturnType<typeof startSentinels>>
