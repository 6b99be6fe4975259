// `ratePerSecond` of a webhook counts over all workers.
import { updateWebhook } from '@payment-tracking/store/admin'
import { openReceiver, waitFor, type Receiver } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from './support/start-worker.js'

const PATIENCE = { timeoutMs: 50_000 }
/** The sweeper of a test would miss what waits for its slot in memory. */
const ENV = { 'webhook-worker.overdueMs': '5000' }

/** The most requests that came in any span of so many seconds. */
function mostWithin({ requests }: Pick<Receiver, 'requests'>, seconds: number): number {
  const times = requests.map(({ receivedAtMs }) => receivedAtMs).sort((a, b) => a - b)
  return Math.max(...times.map(from => times.filter(at => at >= from && at < from + seconds * 1_000).length))
}

t.test('two workers together keep to the rate of an endpoint, and to that of another', async t => {
  const rig = await openRig(t)
  const [slow, fast] = await Promise.all([openReceiver(t), openReceiver(t)])
  const [one, fifty] = await Promise.all([rig.addWebhook(slow.url), rig.addWebhook(fast.url)])
  await updateWebhook(rig.store, one.gateway, one.id, { ratePerSecond: 1 })
  await updateWebhook(rig.store, fifty.gateway, fifty.id, { ratePerSecond: 50 })
  // A claim of the tests ends after 1.5 s. On a slow machine the other worker would then send the delivery too.
  const patient = { ...ENV, 'webhook-worker.claimMarginMs': '30000' }
  const workers = await Promise.all([rig.startWorker(patient), rig.startWorker(patient)])
  await rig.pay(one.gateway, 12)
  await rig.pay(fifty.gateway, 400)
  await rig.waitForStates({ delivered: 12 }, { gateway: one.gateway, ...PATIENCE })
  await rig.waitForStates({ delivered: 400 }, { gateway: fifty.gateway, ...PATIENCE })
  // A tenth of a second's more at once, and what was late on its way, up to a second on a slow machine. A rate for each worker
  // would be 16 and 400.
  t.ok(mostWithin(slow, 8) <= 11, `${mostWithin(slow, 8)} in 8 s at 1 a second`)
  t.ok(mostWithin(fast, 4) <= 260, `${mostWithin(fast, 4)} in 4 s at 50 a second`)
  t.equal(slow.requests.length + fast.requests.length, 412, 'each once')
  for (const worker of workers)
    t.match(await worker.metrics(), /delivery_attempts_total\{.*outcome="accepted".*\} [1-9]/, 'both sent')
  const rows = [...(await rig.attempts(one.gateway)), ...(await rig.attempts(fifty.gateway))]
  t.equal(rows.length, 412, 'what waits for its slot spends no try')
})

t.test('a rate that is taken back, or raised, reaches what is deferred', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  const { gateway, id } = await rig.addWebhook(receiver.url)
  await updateWebhook(rig.store, gateway, id, { ratePerSecond: 1 })
  await rig.startWorker(ENV)
  await rig.pay(gateway, 20)
  const deferred = async () =>
    (await rig.deliveries(gateway)).filter(({ defer_reason }) => defer_reason === 'rate cap').length
  await waitFor(async () => (await deferred()) >= 10, { what: 'deferred deliveries', ...PATIENCE })
  await updateWebhook(rig.store, gateway, id, { ratePerSecond: null })
  await receiver.waitForRequests(receiver.requests.length + 2, PATIENCE)
  await rig.pay(gateway, 100)
  const { length } = receiver.requests
  await receiver.waitForRequests(length + 90, PATIENCE)
  t.ok(mostWithin(receiver, 2) > 50, 'nothing new waits for a slot')
})
