// Each server goes away and comes back, and each service does meanwhile what docs/degradation.md says of it.
import { once } from 'node:events'
import { waitFor } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { openSystem, type ServerName } from './open-system.js'
import { missingOf } from './rows.js'
import { readFigure, SERVICES, type ServiceName } from '../upgrade/release-set.js'

const system = await openSystem(t)
const { servers, ask, check, pay, hasPosted, hasSent, query, receiver, gateway, gatewayToken } = system
const READS = [
  '/v1/events',
  '/v1/events/count',
  '/v1/events/payments/stats',
  '/v1/subscriptions?trackingId=degradation',
  '/v1/onetime/degradation',
]
const CHALLENGE = `/v1/gateway/${gateway.address}/auth/challenge`
const TEST_DELIVERY = `/v1/webhooks/${system.webhookId}/test`
const asGateway = { token: gatewayToken }
const asOperator = { token: system.opsToken }

const stream = new WebSocket(`${system.urls.api.replace('http', 'ws')}/v1/events/stream`)
t.teardown(() => stream.terminate())
let streamed = ''
stream.on('message', (data: Buffer) => (streamed += data.toString()))
await once(stream, 'open')

/** Waits until exactly these lines of readiness are not ok. The process lives all the while. */
const misses = async (t: Test, name: ServiceName, missing: string[]): Promise<void> => {
  let seen = await check(name)
  const asExpected = async () => {
    seen = await check(name)
    return seen.missing.join() === missing.join()
  }
  await waitFor(asExpected, { what: `${name} to miss ${missing.join()}` }).catch(() => {})
  t.strictSame(seen, { alive: 200, ready: missing.length === 0 ? 200 : 503, missing })
}
/** Readiness is what the document says of it. */
const asDocumented = (t: Test, section: string, name: ServiceName) =>
  misses(t, name, missingOf(section, name) ?? ['its row'])
const statuses = async (service: 'api' | 'ops', paths: string[], options = {}) =>
  new Set((await Promise.all(paths.map(path => ask(service, path, options)))).map(({ status }) => status))
const stored = (signature: string) => async () =>
  (await query(`select 1 from events where signature = '${signature}'`)).length === 1
const within = (holds: () => boolean | Promise<boolean>, what: string) =>
  waitFor(holds, { what, timeoutMs: 60_000 })
const arrives = (signature: string) =>
  Promise.all([
    within(() => hasSent(signature), 'the payment on the socket'),
    within(() => hasPosted(signature), 'the payment at the webhook'),
    within(() => streamed.includes(signature), 'the payment on the stream of all events'),
  ])

/** Mends it and says how long each part took to come back, counted from when it was mended. */
async function comesBack(t: Test, what: string, mend: () => Promise<unknown>, paid: string[]): Promise<void> {
  await mend()
  const begin = performance.now()
  const took = async (part: string, work: Promise<unknown>) => {
    await work
    t.comment(`${what} is back: ${part} after ${((performance.now() - begin) / 1000).toFixed(1)} s`)
  }
  const ready = async (name: ServiceName) => (await check(name)).ready === 200
  const signIn = async () => (await ask('api', CHALLENGE, { method: 'POST' })).status === 200
  await Promise.all([
    ...SERVICES.map(name =>
      took(
        `${name} ready`,
        within(() => ready(name), `${name} ready`),
      ),
    ),
    took('what was paid meanwhile is told', Promise.all(paid.map(arrives))),
    took('a new subscription', system.subscribeAtLast(system.connect())),
    took('sign-in', within(signIn, 'sign-in')),
  ])
  await took('a new payment', pay().then(arrives))
  t.ok(system.client.connected)
}
const restart = (server: ServerName) => () => servers.private[server]!.restart()

t.test('without Redis', async t => {
  await servers.private.redis!.kill()
  const paid = await pay()

  await t.test('without Redis ingest stores, acknowledges, and tells later', async t => {
    await asDocumented(t, 'Redis', 'ingest')
    await waitFor(stored(paid), { what: 'the payment to be stored' })
    t.not((await query('select 1 from ingest_batches where relayed_at is null')).length, 0)
  })

  await t.test('without Redis the api answers all but sign-in', async t => {
    await asDocumented(t, 'Redis', 'api')
    t.strictSame(await statuses('api', READS), new Set([200]))
    t.match(await ask('api', CHALLENGE, { method: 'POST' }), { status: 503, code: 'SIGNAL_UNAVAILABLE' })
    t.match(await ask('api', '/v1/webhooks', asGateway), { status: 200 })
    await waitFor(() => streamed.includes(paid), { what: 'the stream of all events to go on' })
    t.match(await ask('api', TEST_DELIVERY, { ...asGateway, method: 'POST' }), { status: 202 })
  })

  await t.test('without Redis sockets stay, and subscribing is UNAVAILABLE', async t => {
    await asDocumented(t, 'Redis', 'realtime')
    t.match(await system.subscribe(system.connect()), { ok: false, code: 'UNAVAILABLE' })
    t.ok(system.client.connected)
  })

  await t.test('without Redis deliveries wait in Postgres', async t => {
    await asDocumented(t, 'Redis', 'webhook-worker')
    t.match(await query(`select state, attempts_made from deliveries order by id desc limit 1`), [
      { state: 'pending', attempts_made: 0 },
    ])
  })

  await t.test('without Redis ops shows its pages', async t => {
    await asDocumented(t, 'Redis', 'ops')
    const pages = ['/', '/dead-letters', '/failed-deliveries']
    t.strictSame(await statuses('ops', pages, asOperator), new Set([200]))
    t.match(await ask('ops', '/queues/api/queues', asOperator), { status: 503 })
  })

  await t.test('after Redis everything works again without help', t =>
    comesBack(t, 'Redis', restart('redis'), [paid]),
  )
})

t.test('without NATS', async t => {
  await system.publish('{"rubbish": true}')
  await waitFor(async () => (await query('select 1 from dead_letters')).length === 1, { what: 'dead letter' })
  await servers.private.nats!.kill()

  await t.test('without NATS ingest waits', t => asDocumented(t, 'NATS', 'ingest'))

  await t.test('without NATS the api does not notice', async t => {
    await asDocumented(t, 'NATS', 'api')
    t.strictSame(await statuses('api', READS), new Set([200]))
    t.match(await ask('api', CHALLENGE, { method: 'POST' }), { status: 200 })
  })

  await t.test('without NATS sockets do not notice', async t => {
    await asDocumented(t, 'NATS', 'realtime')
    t.match(await system.subscribe(system.connect()), { ok: true })
  })

  await t.test('without NATS webhooks go out', async t => {
    await asDocumented(t, 'NATS', 'webhook-worker')
    const before = receiver.requests.length
    t.match(await ask('api', TEST_DELIVERY, { ...asGateway, method: 'POST' }), { status: 202 })
    await receiver.waitForRequests(before + 1)
  })

  await t.test('without NATS ops shows its pages and replays nothing', async t => {
    await asDocumented(t, 'NATS', 'ops')
    const opsStatuses = await statuses('ops', ['/', '/dead-letters', '/queues/api/queues'], asOperator)
    t.strictSame(opsStatuses, new Set([200]))
    const replay = await ask('ops', '/dead-letters/replay-all', { ...asOperator, method: 'POST', body: {} })
    t.equal(replay.status, 503)
    t.match(await query('select replayed_at from dead_letters'), [{ replayed_at: null }])
  })

  await t.test('after NATS everything works again without help', t =>
    comesBack(t, 'NATS', restart('nats'), []),
  )
})

t.test('without Postgres', async t => {
  await servers.private.postgres!.kill()
  const paid = await pay()

  await t.test('without Postgres ingest acknowledges nothing', async t => {
    await asDocumented(t, 'Postgres', 'ingest')
    await system.services.ingest.waitForLog('batch.failed')
  })

  await t.test('without Postgres the api answers 503', async t => {
    await asDocumented(t, 'Postgres', 'api')
    for (const path of READS) t.match(await ask('api', path), { status: 503, code: 'STORE_UNAVAILABLE' })
    t.match(await ask('api', CHALLENGE, { method: 'POST' }), { status: 503, code: 'STORE_UNAVAILABLE' })
    t.match(await ask('api', '/v1/webhooks', asGateway), { status: 503, code: 'STORE_UNAVAILABLE' })
    t.match(await ask('api', '/v1/health'), { status: 200 })
    t.equal(stream.readyState, WebSocket.OPEN)
  })

  await t.test('without Postgres sockets stay, and subscribing is UNAVAILABLE', async t => {
    await asDocumented(t, 'Postgres', 'realtime')
    t.match(await system.subscribe(system.connect()), { ok: false, code: 'UNAVAILABLE' })
    t.ok(system.client.connected)
  })

  await t.test('without Postgres no webhook is sent', async t => {
    await asDocumented(t, 'Postgres', 'webhook-worker')
    t.notOk(hasPosted(paid))
  })

  await t.test('without Postgres ops answers 503 but for the queue', async t => {
    await asDocumented(t, 'Postgres', 'ops')
    const pages = ['/', '/dead-letters', '/failed-deliveries']
    t.strictSame(await statuses('ops', pages, asOperator), new Set([503]))
    t.match(await ask('ops', '/queues/api/queues', asOperator), { status: 200 })
  })

  await t.test('after Postgres everything works again without help', t =>
    comesBack(t, 'Postgres', restart('postgres'), [paid]),
  )
})

// Its memory is full, and it evicts nothing: reads are answered, writes are refused.
t.test('with a full Redis', async t => {
  await system.redis.config('SET', 'maxmemory', '1')
  const paid = await pay()

  await t.test('with a full Redis payments are stored, nobody is seated and deliveries wait', async t => {
    await waitFor(stored(paid), { what: 'the payment to be stored' })
    await misses(t, 'realtime', ['lease'])
    for (const name of ['ingest', 'api', 'webhook-worker', 'ops'] as const) await misses(t, name, [])
    t.strictSame(await statuses('api', READS), new Set([200]))
    t.match(await ask('api', CHALLENGE, { method: 'POST' }), { status: 503, code: 'SIGNAL_UNAVAILABLE' })
    t.match(await system.subscribe(system.connect()), { ok: false, code: 'UNAVAILABLE' })
    t.notOk(hasPosted(paid))
  })

  await t.test('after a full Redis everything works again without help', t =>
    comesBack(t, 'room in Redis', () => system.redis.config('SET', 'maxmemory', '0'), [paid]),
  )
})

// What Postgres says when its disk is full (53100), said by triggers: filling a disk would touch the machine.
t.test('with a full disk of Postgres', async t => {
  const TABLES = ['events', 'webhooks', 'deliveries', 'delivery_attempts']
  await query(`create function full_disk() returns trigger language plpgsql as
    $$ begin raise 'could not extend file: No space left on device' using errcode = '53100'; end $$`)
  for (const table of TABLES)
    await query(`create trigger full_disk before insert or update on ${table} execute function full_disk()`)
  const paid = await pay()

  await t.test('with a full disk of Postgres reads go on, and writes wait or are 503', async t => {
    const failed = /ingest_failed_batches_total\{code="STORE_UNAVAILABLE"\}/
    const before = await readFigure(system.services.ingest, failed)
    await waitFor(async () => (await readFigure(system.services.ingest, failed)) > before, {
      what: 'refusal',
    })
    for (const name of SERVICES) await misses(t, name, [])
    t.strictSame(await statuses('api', READS), new Set([200]))
    const test = await ask('api', TEST_DELIVERY, { ...asGateway, method: 'POST' })
    t.match(test, { status: 503, code: 'STORE_UNAVAILABLE' })
    t.match(await system.subscribe(system.connect()), { ok: true })
  })

  await t.test('after a full disk of Postgres everything works again without help', t =>
    comesBack(t, 'room on the disk', () => query('drop function full_disk cascade'), [paid]),
  )
})

t.test('nobody ended and nothing is lost', async t => {
  const sent = system.sent.map(({ seq }) => seq)
  const inOrder = [...new Set(sent)].sort((a, b) => a - b)
  t.strictSame(sent, inOrder, 'the socket has each payment once')
  // What the endpoint has just had is written a moment later.
  const isDelivered = async () =>
    (await query(`select 1 from deliveries where state <> 'delivered'`)).length === 0
  await waitFor(isDelivered, { what: 'each delivery to be delivered' })
  t.strictSame(system.faults(), [])
  t.strictSame(new Set(Object.values(await system.stop())), new Set([0]))
})
