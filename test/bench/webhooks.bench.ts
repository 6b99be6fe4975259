import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { renderPaymentMessage, signDelivery, webhookSecretOf } from '@payment-tracking/domain'
import { waitFor } from '@payment-tracking/testkit'
import { inTurns, type Bench, type BenchContext, type Row } from './bench.js'
import { countOpen, forkBeside, makePayment, openRig } from './webhook-rig.js'

/** Requests on their way: the worker's own default, and the loop's. */
const CONCURRENCY = 64

/** The limit: posts the same signed bytes to the same receiver, and does nothing else. */
function openLoop(context: BenchContext, url: string, count: number) {
  const message = renderPaymentMessage(makePayment('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin'))
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'payment-tracking-webhooks/bench',
    ...signDelivery({ ...message, sentAt: 1_763_632_800 }, [webhookSecretOf(randomBytes(32))]),
  }
  const loop = forkBeside(context, './undici-loop.mjs')
  return async (): Promise<number> => {
    loop.send({ url, count, concurrency: CONCURRENCY, headers, body: message.body })
    const [{ perSecond }] = (await once(loop, 'message')) as [{ perSecond: number }]
    return perSecond
  }
}

/** A worker, and a backlog for it: @returns deliveries a second until the last of `count` has ended. */
async function openBacklog(context: BenchContext, urls: readonly string[], count: number) {
  const rig = await openRig(context)
  const gateways = await rig.addWebhooks(urls)
  await rig.pay(gateways, Math.min(count, urls.length))
  await waitFor(async () => (await countOpen(rig)) === 0, { what: 'the worker', timeoutMs: 60_000 })
  return async () => {
    rig.worker.signal('SIGSTOP')
    await rig.pay(gateways, count)
    const startedAt = performance.now()
    rig.worker.signal('SIGCONT')
    await waitFor(async () => (await countOpen(rig)) === 0, {
      what: 'all deliveries',
      timeoutMs: 120_000,
      intervalMs: 20,
    })
    return (count / (performance.now() - startedAt)) * 1000
  }
}

/**
 * A backlog, worked off by one worker process, beside the bare loop.
 * @param age `fresh`: both sides are new processes at each turn, as after a deployment. `warm`: the same two
 *   processes all along. The bare loop gains four to six times from the compiler after 20,000 requests, a worker
 *   hardly any: the two ratios are far apart.
 */
async function measureRate(context: BenchContext, endpoints: number, age: 'fresh' | 'warm'): Promise<Row> {
  const count = context.quick ? 500 : 10_000
  const receiver = forkBeside(context, './webhook-receiver.mjs')
  const [{ port }] = (await once(receiver, 'message')) as [{ port: number }]
  // As many origins as endpoints: each has a pool, a breaker and caps of its own.
  const urls = Array.from(
    { length: endpoints },
    (_, n) => `http://127.1.${Math.floor(n / 250)}.${(n % 250) + 1}:${port}/hook`,
  )
  const openers = {
    worker: () => openBacklog(context, urls, count),
    loop: () => Promise.resolve(openLoop(context, `http://127.0.0.1:${port}/hook`, count)),
  }
  /** One process for all turns, or one for each. */
  const inProcess = async (open: () => Promise<() => Promise<number>>) => {
    if (age === 'fresh') return async () => (await open())()
    return open()
  }
  const worker = await inProcess(openers.worker)
  const { subject, limit } = await inTurns(
    context.quick ? 1 : 3,
    async round => {
      const perSecond = await worker()
      context.say(`${endpoints} endpoints, ${age}, round ${round}: ${Math.round(perSecond)} deliveries/s`)
      return perSecond
    },
    await inProcess(openers.loop),
  )
  return {
    subject: `deliveries of one ${age} worker, a backlog of ${count}, ${endpoints} ${endpoints === 1 ? 'endpoint' : 'endpoints'}`,
    unit: 'deliveries/s',
    largerIsBetter: true,
    measured: subject,
    limit: { name: `a ${age} bare undici loop posting the same signed bytes`, measured: limit },
    note: 'goals: 2,000 and a ratio of 0.25; breaker, caps, address check and stored answers on; logs at warn',
  }
}

export const bench: Bench = {
  name: 'webhooks',
  about: 'delivery rows and jobs → signed requests, answers stored; one worker process',
  async run(context) {
    if (context.quick) return [await measureRate(context, 10, 'fresh')]
    const rows = [await measureRate(context, 10, 'fresh')]
    for (const endpoints of [1, 10, 1_000]) rows.push(await measureRate(context, endpoints, 'warm'))
    return rows
  },
}
