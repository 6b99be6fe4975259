// The pipeline as in production: ingest, realtime and the webhook worker as processes, a socket for every tracking ID, and a
// receiver that takes every webhook.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildChain, openPublisher, type ChainPolicy } from '@payment-tracking/stack'
import { createWebhook } from '@payment-tracking/store/admin'
import { openStore } from '@payment-tracking/store/core'
import { createDatabase, openReceiver, startService, waitFor } from '@payment-tracking/testkit'
import type { Bench, BenchContext, Row } from './bench.js'
import { startPod } from './start-pod.js'
import { openSocketLoad } from './socket-load.js'

/** Enough policies, so that no payments of one tracking ID wait for each other. */
const POLICIES = 200
const GATEWAYS = 10
/** Payments a second, and for how many seconds. */
const RATES = [
  [10, 40],
  [100, 30],
  [1_000, 15],
] as const
const SHARES = { p50: 0.5, p99: 0.99, 'p99.9': 0.999 }

/** Starts everything. @returns publishes payments at a steady rate, and when each was sent, on a socket and at the receiver */
async function openWholeSystem(context: BenchContext) {
  const { servers } = context
  const seed = `end-to-end-${randomBytes(3).toString('hex')}`
  const database = await createDatabase(context, { serverUrl: servers.databaseUrl })
  const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  context.teardown(() => store.close())
  const common = { DATABASE_URL: database.url, REDIS_URL: servers.redisUrl, ENVIRONMENT: seed }
  const nats = { NATS_URL: servers.natsUrl, STREAM_NAME: seed, SUBJECT_PREFIX: seed }
  const worker = { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on', WEBHOOK_MAX_PER_SECOND: '100000' }
  const [{ url }] = await Promise.all([
    startPod(context, common),
    startService(context, 'ingest', { ...common, ...nats }, { keepLogs: false }),
    startService(context, 'webhook-worker', { ...common, ...worker }, { keepLogs: false }),
  ])
  const [sentAt, onSocketAt, atReceiverAt] = [1, 2, 3].map(() => new Map<string, number>()) as [
    Map<string, number>,
    Map<string, number>,
    Map<string, number>,
  ]
  const keyOf = (of: { trackingId: string; recordId: number }) => `${of.trackingId} ${of.recordId}`
  const receiver = await openReceiver(context)
  receiver.answer(({ body }) => {
    atReceiverAt.set(
      keyOf((JSON.parse(body) as { data: Parameters<typeof keyOf>[0] }).data),
      performance.now(),
    )
    return { status: 200 }
  })
  const publisher = await openPublisher(nats)
  context.teardown(() => publisher.close())
  const chain = buildChain({ seed })
  const gateways = await Promise.all(Array.from({ length: GATEWAYS }, () => chain.openGateway()))
  for (const { address } of gateways)
    await createWebhook(store, { gateway: address, endpointUrl: receiver.url, active: true })
  const policies: ChainPolicy[] = []
  for (let n = 0; n < POLICIES; n++) {
    const userPayment = await chain.openUserPayment()
    const policy = await chain.openPolicy(gateways[n % GATEWAYS]!, userPayment, {
      trackingId: `${seed}-${n}`,
    })
    for (const { created } of [userPayment, policy]) await publisher.publish(JSON.stringify(created))
    policies.push(policy)
  }
  const load = await openSocketLoad(url, POLICIES, n => `${seed}-${n}`)
  context.teardown(() => load.close())
  load.onPayment(payment => onSocketAt.set(keyOf(payment), performance.now()))

  let turn = 0
  const pay = async () => {
    const policy = policies[turn++ % POLICIES]!
    const message = chain.pay(policy)
    const { trackingId } = policy
    sentAt.set(keyOf({ trackingId, recordId: Number(message.data.record_id) }), performance.now())
    await publisher.publish(JSON.stringify(message))
  }
  /** Whether or not what was sent before has come through; resolves when all has. */
  const payAtRate = async (perSecond: number, seconds: number): Promise<void> => {
    for (const times of [sentAt, onSocketAt, atReceiverAt]) times.clear()
    receiver.requests.length = 0
    const startedAt = performance.now()
    const sending: Promise<void>[] = []
    for (let n = 0; n < perSecond * seconds; n++) {
      const earlyMs = startedAt + (n * 1_000) / perSecond - performance.now()
      // Timers are no finer than a millisecond; below it several go at once.
      if (earlyMs >= 1) await sleep(earlyMs)
      const paying = pay()
      // Told below; until then nobody listens, and a bench that ends for another reason would end for this one.
      paying.catch(() => {})
      sending.push(paying)
    }
    await Promise.all(sending)
    await waitFor(() => onSocketAt.size >= sentAt.size && atReceiverAt.size >= sentAt.size, {
      what: 'every payment on its socket and at the receiver',
      timeoutMs: 120_000,
    })
  }
  return {
    payAtRate,
    sentAt,
    arrivals: { "on the client's socket": onSocketAt, 'at the webhook receiver': atReceiverAt },
  }
}

export const bench: Bench = {
  name: 'end-to-end',
  about:
    "published to JetStream → on the client's socket and at the webhook receiver: one of each service, one receiver, one socket for each of 200 tracking IDs; every payment has a webhook",
  async run(context) {
    const { payAtRate, sentAt, arrivals } = await openWholeSystem(context)
    // A first payment of each policy, and what warms up.
    await payAtRate(POLICIES, context.quick ? 1 : 5)
    const rows: Row[] = []
    for (const [perSecond, seconds] of context.quick ? [[100, 0.5] as const] : RATES) {
      await payAtRate(perSecond, seconds)
      for (const [where, arrived] of Object.entries(arrivals)) {
        const delays = [...sentAt].map(([key, sentMs]) => arrived.get(key)! - sentMs).sort((a, b) => a - b)
        for (const [name, share] of Object.entries(SHARES))
          rows.push({
            subject: `${perSecond.toLocaleString('en')} payments/s, published → ${where}, ${name}`,
            unit: 'ms',
            figure: delays[Math.floor(share * delays.length)]!,
          })
      }
    }
    return rows
  },
}
