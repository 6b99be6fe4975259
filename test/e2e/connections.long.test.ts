// How many connections to Postgres a fleet opens with default settings: the servers' limits are shared by all.
import { setTimeout as sleep } from 'node:timers/promises'
import { buildJwtKeys, findFreePort, readServiceSchema, SERVICES } from '@payment-tracking/stack'
import {
  openPublisher,
  readFixtureMessages,
  startService,
  useEnvironment,
  waitFor,
} from '@payment-tracking/testkit'
import { io } from 'socket.io-client'
import t from 'tap'
// @ts-expect-error a script without types
import { CONNECTIONS } from '../../scripts/sizing.mjs'

const FLEET: Record<string, number> = { realtime: 30, api: 18, 'webhook-worker': 6, ingest: 2 }
const MOST = 200
const WITHOUT_POSTGRES = new Set<string>(['indexer', 'console'])

/** Beside the pool: ingest's own connection, and the api's two for lookups. */
const BESIDE: Record<string, number> = { ingest: 1, api: 2 }

async function connectionsOf(service: string): Promise<number> {
  const { properties } = (await readServiceSchema(service))!
  const size = properties.DATABASE_POOL_SIZE as { default: number }
  return size.default + (BESIDE[service] ?? 0)
}

t.test(
  `a fleet of ${Object.values(FLEET).reduce((a, b) => a + b)} processes stays below ${MOST} connections`,
  async t => {
    let sum = 0
    for (const [service, processes] of Object.entries(FLEET))
      sum += processes * (await connectionsOf(service))
    t.ok(sum < MOST, `${sum} connections`)
  },
)

t.test('the script that sizes a deployment counts the same', async t => {
  for (const service of SERVICES.filter(name => !WITHOUT_POSTGRES.has(name)))
    t.equal((CONNECTIONS as Record<string, number>)[service], await connectionsOf(service), service)
})

t.test('real processes under load open as many as computed, and no more', async t => {
  const { database, settings } = await useEnvironment(t)
  const [apiPort, realtimePort] = [await findFreePort(), await findFreePort()]
  const env = {
    ...settings,
    RATE_LIMIT_MAX: '1000000',
    'api.requestsAtOncePerAddress': '1000',
    JWT_PRIVATE_KEYS: buildJwtKeys(),
  }
  const most = new Map<string, number>()
  const check = async () => {
    const { rows } = await database.pool.query<{ name: string; count: string }>(
      `select application_name as name, count(*) from pg_stat_activity
       where datname = current_database() and application_name <> '' group by 1`,
    )
    for (const { name, count } of rows) most.set(name, Math.max(most.get(name) ?? 0, Number(count)))
  }
  const services: Record<string, { settings: Record<string, string>; named: string }> = {
    ingest: { settings: {}, named: 'ingest' },
    'webhook-worker': { settings: {}, named: 'webhook-worker' },
    api: { settings: { PORT: String(apiPort) }, named: 'payment-tracking-api' },
    realtime: { settings: { PORT: String(realtimePort) }, named: 'realtime' },
  }
  for (const [service, { settings, named }] of Object.entries(services)) {
    await startService(t, service, { ...env, ...settings })
    let done = false
    const loaded = putLoadOn(service).finally(() => (done = true))
    while (!done) {
      await check()
      await sleep(50)
    }
    await loaded
    const count = most.get(named) ?? 0
    t.ok(count >= 1 && count <= (await connectionsOf(service)), `${service} opened ${count}`)
  }
  t.equal(most.get('payment-tracking-api'), await connectionsOf('api'), 'the api needed all of them')

  async function putLoadOn(service: string): Promise<void> {
    if (service === 'ingest') {
      const publisher = await openPublisher(env)
      const messages = await readFixtureMessages()
      await publisher.publishAll(
        (async function* () {
          yield* messages
        })(),
      )
      await publisher.close()
      await waitFor(
        async () =>
          (await database.pool.query(`select from stream_head where position > 500`)).rowCount === 1,
        { what: 'the fixtures to be stored', timeoutMs: 60_000 },
      )
    }
    if (service === 'api') {
      const paths = ['/v1/events?limit=100', '/v1/events/count', '/v1/events/payments', '/v1/onetime/none']
      const ask = (path: string) => fetch(`http://127.0.0.1:${apiPort}${path}`).then(answer => answer.text())
      const needed = await connectionsOf('api')
      const burst = Array.from({ length: 50 }, () => paths).flat()
      // On a busy machine one burst may be over before somebody looks: as many as it takes.
      await waitFor(
        async () => {
          await Promise.all(burst.map(ask))
          return most.get('payment-tracking-api') === needed
        },
        { what: 'a burst that needs all connections', timeoutMs: 60_000 },
      ).catch(() => undefined)
    }
    if (service === 'realtime') {
      const sockets = Array.from({ length: 50 }, () =>
        io(`http://127.0.0.1:${realtimePort}`, { path: '/ws/v1', transports: ['websocket'], forceNew: true }),
      )
      await Promise.all(
        sockets.map((socket, n) =>
          socket
            .emitWithAck('subscribe', { trackingId: `load-${n}`, since: 0 })
            .finally(() => socket.close()),
        ),
      )
    }
  }
})
