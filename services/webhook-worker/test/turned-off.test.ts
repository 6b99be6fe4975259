// A claimed delivery may have to wait until its request may leave. What is turned off meanwhile is not sent.
import { createLogger, createMetrics } from '@payment-tracking/runtime'
import type { Slot } from '@payment-tracking/redis'
import { deleteWebhooks, updateWebhook } from '@payment-tracking/store/admin'
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { buildDeliverer } from '../src/deliveries/deliver.js'
import { buildDeliveryMetrics } from '../src/deliveries/delivery-metrics.js'
import { buildDeliveryRows } from '../src/deliveries/delivery-rows.js'
import { buildEndpointLimiter } from '../src/endpoints/endpoint-limiter.js'
import { openRig } from './support/start-worker.js'

const LIMITS = { maxInFlight: 1, maxPerSecond: 1_000, maxQueued: 8, beginWithinMs: 60_000 }

t.test('a claimed delivery whose webhook is turned off before its request leaves is cancelled', async t => {
  const rig = await openRig(t)
  const log = createLogger('webhook-worker', { LOG_LEVEL: 'info', ENVIRONMENT: 'test' }, { write: () => {} })
  const metrics = buildDeliveryMetrics(createMetrics())
  const sent: bigint[] = []
  // Each waits for a slot of its rate until somebody says so.
  let goOn = (_: Slot) => {}
  const slot = new Promise<Slot>(resolve => (goOn = resolve))
  const askedMs: number[] = []
  const deliver = buildDeliverer({
    rows: buildDeliveryRows({ store: rig.store, enqueue: async () => {}, leaseMs: 60_000, metrics, log }),
    limiter: buildEndpointLimiter(
      LIMITS,
      { now: () => performance.now(), chance: () => 0 },
      {
        take: () => {
          askedMs.push(performance.now())
          return slot
        },
        pause: () => Promise.resolve(),
      },
    ),
    send: async ({ id }) => {
      sent.push(id)
      const nothing = { error: null, final: false, retryAfterMs: null, headers: null, body: null }
      return { ...nothing, outcome: 'accepted', statusCode: 200 }
    },
    backoffMs: 50,
    backoffFactor: 4,
    metrics,
    log,
    chance: () => 0,
  })
  const [off, on] = await Promise.all([
    rig.addWebhook('http://127.0.0.1:1/'),
    rig.addWebhook('http://127.0.0.1:2/'),
  ])
  for (const { gateway, id } of [off, on]) await updateWebhook(rig.store, gateway, id, { ratePerSecond: 1 })
  const refs = [...(await rig.pay(off.gateway)), ...(await rig.pay(on.gateway))]
  const queued = refs.map(({ id, webhookId }) => ({ deliveryId: String(id), webhookId: String(webhookId) }))
  const ends = queued.map(each => deliver(each))
  const waitsLong = () => askedMs.length === 2 && performance.now() - askedMs[1]! > 20
  await waitFor(waitsLong, { what: 'two claims that wait' })
  await deleteWebhooks(rig.store, off.gateway, off.id)
  goOn({ free: true, inMs: 0 })
  t.match(await Promise.all(ends), [{ kind: 'again' }, { kind: 'done', result: 'delivered' }])
  t.equal(sent.length, 1)
  t.match(await deliver(queued[0]!), { kind: 'done', result: 'nothing to do (cancelled)' })
  t.match(await rig.deliveries(), [
    { state: 'cancelled', attempts_made: 0 },
    { state: 'delivered', attempts_made: 1 },
  ])
  t.same(await rig.attempts(off.gateway), [], 'as if it had never been claimed')
})
