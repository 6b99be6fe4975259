// A claimed delivery may have to wait until its request may leave. What is turned off or changed meanwhile is not sent as it was.
import { createLogger, createMetrics } from '@payment-tracking/runtime'
import { deleteWebhooks, rotateWebhookSecret, updateWebhook } from '@payment-tracking/store/admin'
import { openReceiver, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { buildDeliverer } from '../src/deliveries/deliver.js'
import { buildDeliveryMetrics } from '../src/deliveries/delivery-metrics.js'
import { buildDeliveryRows } from '../src/deliveries/delivery-rows.js'
import { buildEndpointLimiter } from '../src/endpoints/endpoint-limiter.js'
import { openConnections } from '../src/requests/connections.js'
import { sendOne } from './support/send-one.js'
import { openRig } from './support/start-worker.js'

const LIMITS = { maxInFlight: 4, maxPerSecond: 1_000, maxQueued: 8 }

t.test('what changes between a claim and its request is what the request obeys', async t => {
  const rig = await openRig(t)
  const log = createLogger('webhook-worker', { LOG_LEVEL: 'info', ENVIRONMENT: 'test' }, { write: () => {} })
  const metrics = buildDeliveryMetrics(createMetrics())
  const sent: string[] = []
  let lates = 0
  // The first connection of each takes until somebody says so.
  let goOn = () => {}
  const connected = new Promise<void>(resolve => (goOn = resolve))
  const askedMs: number[] = []
  const deliver = buildDeliverer({
    rows: buildDeliveryRows({
      store: rig.store,
      queue: { promoteDeliveries: () => Promise.resolve([]) },
      leaseMs: 60_000,
      metrics,
      log,
    }),
    limiter: buildEndpointLimiter(
      LIMITS,
      { now: () => performance.now(), chance: () => 0 },
      { take: () => Promise.reject(new Error('no rate')), pause: () => Promise.reject(new Error('no rate')) },
      () => Promise.resolve(null),
      () => Promise.reject(new Error('nothing was deferred')),
    ),
    send: async ({ endpointUrl }, mayBegin) => {
      const nothing = { final: false, retryAfterMs: null, headers: null, body: null }
      // Each connection takes too long.
      const asked = askedMs.push(performance.now())
      if (asked <= 5) await connected
      // The webhook was just read for this one.
      else if (asked === 6) goOn()
      else if (asked === 7) await waitFor(() => !mayBegin(), { what: 'a reading to be too old' })
      if (!mayBegin()) {
        lates++
        return { ...nothing, outcome: 'interrupted', error: 'late', statusCode: null }
      }
      sent.push(endpointUrl)
      return { ...nothing, outcome: 'accepted', error: null, statusCode: 200 }
    },
    backoffMs: 50,
    backoffFactor: 4,
    metrics,
    log,
    chance: () => 0,
  })
  const [off, moved, rotated, again, on] = await Promise.all(
    [1, 2, 3, 4, 5].map(port => rig.addWebhook(`http://127.0.0.1:${port}/`)),
  )
  const all = [off!, moved!, rotated!, again!, on!]
  const refs = (await Promise.all(all.map(({ gateway }) => rig.pay(gateway)))).flat()
  const queued = refs.map(({ id, webhookId }) => ({ deliveryId: String(id), webhookId: String(webhookId) }))
  const ends = queued.map(each => deliver(each))
  const waitsLong = () => askedMs.length === 5 && performance.now() - askedMs[4]! > 80
  await waitFor(waitsLong, { what: 'connections that take long' })
  await deleteWebhooks(rig.store, off!.gateway, off!.id)
  await updateWebhook(rig.store, moved!.gateway, moved!.id, { endpointUrl: 'http://127.0.0.1:9/' })
  await rotateWebhookSecret(rig.store, rotated!.gateway, rotated!.id, 0)
  await updateWebhook(rig.store, again!.gateway, again!.id, { active: false })
  await updateWebhook(rig.store, again!.gateway, again!.id, { active: true })
  const [later] = await rig.pay(again!.gateway)
  await deliver({ deliveryId: String(later!.id), webhookId: String(later!.webhookId) })
  t.strictSame(sent, ['http://127.0.0.1:4/'], 'what was claimed after it was on again')
  const wait = { kind: 'wait', forMs: 0 }
  t.match(await Promise.all(ends), [wait, wait, wait, wait, { kind: 'done', result: 'delivered' }])
  t.strictSame(sent.slice(1), ['http://127.0.0.1:5/'], 'a claim from before speaks for none after')
  t.equal(lates, 5 + 1, 'what begins late asks again, and is sent in the end')

  t.match(await deliver(queued[0]!), { kind: 'done', result: 'nothing to do (cancelled)' })
  t.match(await deliver(queued[1]!), { kind: 'done', result: 'delivered' })
  t.equal(sent[2], 'http://127.0.0.1:9/')
  const rows = await rig.deliveries()
  t.strictSame(
    refs.map(({ id }) => rows.find(row => row.id === String(id))!).map(row => [row.state, row.attempts_made]),
    [
      ['cancelled', 0],
      ['delivered', 1],
      ['waiting', 0],
      ['waiting', 0],
      ['delivered', 1],
    ],
  )
  t.same(await rig.attempts(off!.gateway), [], 'as if it had never been claimed')
})

t.test('a request whose connection comes too late does not begin', async t => {
  const receiver = await openReceiver(t)
  const connections = openConnections({ timeoutMs: 5_000 })
  t.teardown(() => connections.close())
  const send = (mayBegin?: () => boolean) => sendOne(receiver.url, { connections }, mayBegin)
  t.match(await send(() => false), { outcome: 'interrupted', error: 'late', statusCode: null })
  t.match(await send(), { outcome: 'accepted' }, 'the connection is there')
  t.match(await send(() => false), { error: 'late' }, 'nor over one that is open')
  for (let late = 0; late < 6; late++) {
    t.match(await send(() => false), { error: 'late' })
    t.match(await send(), { outcome: 'accepted' })
  }
  // At most a second one, because the pool takes the first for busy at the moment after an error.
  t.ok(receiver.connections <= 2, `${receiver.connections} connections: what is late ends none`)
})
