// WEBHOOK_FLEET_CAPS: the caps of an endpoint and its breaker count over all workers, whatever happens to a worker or to
// Redis.
import { openPrivateServers, openReceiver, waitFor, type StartedService } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from './support/start-worker.js'

const LEASE_MS = 4_000
const FLEET = { WEBHOOK_FLEET_CAPS: 'on', 'webhook-worker.fleetLeaseMs': String(LEASE_MS) }
const PATIENCE = { timeoutMs: 60_000 }

/** Waits until each worker says that so many share the caps. */
const share = (workers: readonly StartedService[], members = workers.length) =>
  waitFor(
    async () => {
      for (const { managementUrl } of workers) {
        const metrics = await (await fetch(`${managementUrl}/metrics`)).text()
        if (!new RegExp(`^payment_tracking_delivery_fleet_workers(\\{.*\\})? ${members}$`, 'm').test(metrics))
          return false
      }
      return true
    },
    { what: `${members} workers to share the caps`, ...PATIENCE },
  )

t.test('an endpoint never has more requests than its cap, through every change of the fleet', async t => {
  const CAP = 7
  const servers = await openPrivateServers(t)
  const rig = await openRig(t, servers)
  const receiver = await openReceiver(t)
  let [inFlight, most] = [0, 0]
  receiver.answer(() => {
    most = Math.max(most, ++inFlight)
    const delayMs = 50 + Math.random() * 300
    setTimeout(() => inFlight--, delayMs)
    return { status: 200, delayMs }
  })
  const { gateway } = await rig.addWebhook(receiver.url)
  const env = { ...FLEET, WEBHOOK_MAX_IN_FLIGHT: String(CAP) }
  const start = () => rig.startWorker(env)
  const [one, two, three] = await Promise.all([start(), start(), start()])
  let [paying, paid] = [true, 0]
  const payer = (async () => {
    while (paying) {
      // More than the endpoint takes. While Redis is away the sweeper finds the rows.
      await rig.pay(gateway, 20).catch(() => {})
      paid += 20
      const { length } = receiver.requests
      await waitFor(() => !paying || receiver.requests.length > length + 10, PATIENCE)
    }
  })()
  const goesOn = async (what: string) => {
    await receiver.waitForRequests(receiver.requests.length + 60, { what, ...PATIENCE })
    t.equal(most, CAP, `the whole cap and never more: ${what}`)
    most = 0
  }
  await share([one, two, three])
  await goesOn('three workers')
  const four = await start()
  await share([one, two, three, four])
  await goesOn('a fourth came')
  await one.stop('SIGKILL')
  await share([two, three, four])
  await goesOn('one was killed')
  two.signal('SIGSTOP')
  await share([three, four])
  await goesOn('one was paused')
  two.signal('SIGCONT')
  await share([two, three, four])
  await goesOn('it went on')
  t.equal(await three.stop(), 0)
  await share([two, four])
  await goesOn('one was stopped')
  await servers.private.redis!.kill()
  await servers.private.redis!.restart()
  const five = await start()
  await share([two, four, five])
  await goesOn('Redis lost its data')
  paying = false
  await payer
  await rig.waitForStates({ delivered: paid }, PATIENCE)
})

t.test('an endpoint is sent at most its rate by all workers together', async t => {
  const [RATE, PAYMENTS, WINDOW_S] = [20, 140, 2]
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  const { gateway } = await rig.addWebhook(receiver.url)
  const env = { ...FLEET, WEBHOOK_MAX_PER_SECOND: String(RATE) }
  await share(await Promise.all([1, 2, 3].map(() => rig.startWorker(env))))
  await rig.pay(gateway, PAYMENTS)
  await rig.waitForStates({ delivered: PAYMENTS }, PATIENCE)
  const times = receiver.requests.map(({ receivedAtMs }) => receivedAtMs)
  const inWindow = times.map(from => times.filter(at => at >= from && at < from + WINDOW_S * 1_000).length)
  // A burst may use the allowance of one second.
  t.ok(Math.max(...inWindow) <= RATE * (WINDOW_S + 1), `${Math.max(...inWindow)} in ${WINDOW_S} s`)
})

t.test('failures that all workers saw together open the breaker', async t => {
  const rig = await openRig(t)
  const receiver = await openReceiver(t)
  receiver.answer({ status: 500 })
  const { gateway } = await rig.addWebhook(receiver.url)
  // A retry would be another request.
  const env = { ...FLEET, WEBHOOK_BACKOFF_MS: '600000' }
  await share(await Promise.all([1, 2, 3].map(() => rig.startWorker(env))))
  const isHeld = async () =>
    (await rig.deliveries(gateway)).some(({ held_reason }) => held_reason === 'breaker open')
  /** How many answers the workers have told each other. */
  const countTold = async () => {
    let told = 0
    for (const key of await rig.redis.client.keys('*:answers:*'))
      for (const [field, count] of Object.entries(await rig.redis.client.hgetall(key)))
        if (field.endsWith(':made')) told += Number(count)
    return told
  }
  let paid = 0
  while (!(await isHeld()) && paid < 40) {
    await rig.pay(gateway)
    paid++
    await waitFor(async () => receiver.requests.length === paid || (await isHeld()), PATIENCE)
    await waitFor(async () => (await countTold()) === receiver.requests.length, PATIENCE)
  }
  // The tenth failure opens the breaker of one worker, and the next one of each other worker its own.
  t.ok(
    receiver.requests.length >= 10 && receiver.requests.length <= 12,
    `${receiver.requests.length} requests`,
  )
})
