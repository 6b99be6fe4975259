// In one process with others: what tests load.
import { countRows, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { subscribe, trySubscribe, usePods } from './use-pods.js'

const DRAIN_MS = 4_000
const pods = await usePods(t, {
  'realtime.longestDrainMs': String(DRAIN_MS),
  MAX_CONNECTIONS_PER_TRACKING_ID: '20',
})
const [leaving, staying] = await Promise.all([pods.start(), pods.start()])

t.test('a stopping pod sends its clients away, spread over the window, and ends in time', async t => {
  const clients = Array.from({ length: 20 }, () => leaving.connect({ reconnection: false }))
  const hints: number[] = []
  const closes: { atMs: number; details: unknown }[] = []
  let paidAfterHint = 0
  for (const client of clients) {
    client.on('reconnect', ({ data }) => {
      hints.push(data.afterMs)
      client.on('payment', () => paidAfterHint++)
    })
    client.on('disconnect', (_, details) => closes.push({ atMs: performance.now(), details }))
    await subscribe(client, { trackingId: 'order' })
  }
  const payer = (async () => {
    while (closes.length < clients.length) await pods.pay({ trackingId: 'order' })
  })()
  const exit = leaving.service.stop('SIGTERM')
  await waitFor(() => hints.length === 20)
  const ready = await fetch(`${leaving.service.managementUrl}/readyz`).then(
    ({ status }) => status,
    () => 503,
  )
  t.equal(ready, 503)
  t.equal(await exit, 0)
  await waitFor(() => closes.length === 20)
  await payer
  t.ok(paidAfterHint > 0, 'payments go on meanwhile')
  for (const { details } of closes) t.match(details, { context: { code: 1012, reason: 'RESTART' } })
  const spreadMs = Math.max(...closes.map(({ atMs }) => atMs)) - Math.min(...closes.map(({ atMs }) => atMs))
  t.ok(spreadMs > 300, 'not all at once')
  t.ok(Math.max(...hints) <= DRAIN_MS && new Set(hints).size > 5)

  const newcomers = Array.from({ length: 20 }, () => staying.connect())
  const replies = await Promise.all(newcomers.map(client => trySubscribe(client, { trackingId: 'order' })))
  for (const { ok } of replies) t.ok(ok, 'all its seats are free at once')
})

t.test('a second signal ends the pod without waiting', async t => {
  await subscribe(staying.connect({ reconnection: false }), { trackingId: 'another order' })
  staying.service.signal('SIGTERM')
  await staying.service.waitForLog('service.stopping')
  staying.service.signal('SIGTERM')
  t.equal(await staying.service.exited, 1)
})

t.test('the numbers of connections to Redis and Postgres return to their baseline', async t => {
  const pods = await usePods(t)
  const name = pods.database.url.split('/').at(-1)!
  const count = async () => {
    const postgres = await countRows(pods.database.pool, 'pg_stat_activity where datname = $1', [name])
    const list = (await pods.redis.client.client('LIST')) as string
    const db = ` db=${pods.redis.url.split('/').at(-1)!} `
    return { redis: list.split('\n').filter(line => line.includes(db)).length, postgres }
  }
  const before = await count()
  const pod = await pods.start()
  await subscribe(pod.connect(), { trackingId: 'order', since: 0 })
  t.equal(await pod.service.stop(), 0)
  await waitFor(async () => {
    const after = await count()
    return after.redis <= before.redis && after.postgres <= before.postgres
  })
  t.pass()
})
