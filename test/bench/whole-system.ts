// The pipeline as in production, with ingest, realtime and the webhook worker as processes. A socket client subscribes to
// every tracking ID, and a receiver takes every webhook.
import { createServer } from 'node:http'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomBytes } from 'node:crypto'
import { buildChain, openPublisher, type ChainPolicy } from '@payment-tracking/stack'
import { createWebhook } from '@payment-tracking/store/admin'
import { openStore, type Store } from '@payment-tracking/store/core'
import { createDatabase, startService, waitFor, type StartedService } from '@payment-tracking/testkit'
import type { BenchContext } from './bench.js'
import { startPod } from './realtime-pods.js'
import { openSocketLoad } from './socket-load.js'

/** Enough policies, so that no payments of one tracking ID wait for each other. */
const POLICIES = 200
const GATEWAYS = 10

export interface WholeSystem {
  services: Record<string, StartedService>
  store: Store
  /** Publishes one payment, of the policies in turn; resolves when JetStream has it. */
  pay(): Promise<void>
  /** By key, when it was sent (by the clock of `performance.now`). */
  sentAt: Map<string, number>
  /** By key, when it was in the socket client's hand, and at the receiver. */
  onSocketAt: Map<string, number>
  atReceiverAt: Map<string, number>
  /** Forgets all that was sent and seen. */
  forget(): void
}

async function openReceiver(context: BenchContext, onBody: (body: string) => void): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      onBody(Buffer.concat(chunks).toString())
      response.end()
    })
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/hook`
}

/** Starts everything and waits until a first payment of each policy has come through. */
export async function openWholeSystem(context: BenchContext, seed: string): Promise<WholeSystem> {
  const { servers } = context
  const database = await createDatabase(context, { serverUrl: servers.databaseUrl })
  const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  context.teardown(() => store.close())
  const common = {
    DATABASE_URL: database.url,
    REDIS_URL: servers.redisUrl,
    ENVIRONMENT: `${seed}-${randomBytes(3).toString('hex')}`,
  }
  const quietly = { keepLogs: false }
  const stream = `${seed}_${randomBytes(3).toString('hex')}`
  const [ingest, worker] = await Promise.all([
    startService(
      context,
      'ingest',
      { ...common, NATS_URL: servers.natsUrl, STREAM_NAME: stream, SUBJECT_PREFIX: stream },
      quietly,
    ),
    startService(
      context,
      'webhook-worker',
      { ...common, WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on', WEBHOOK_MAX_PER_SECOND: '100000' },
      quietly,
    ),
  ])
  const realtime = await startPod(context, common)

  const sentAt = new Map<string, number>()
  const [onSocketAt, atReceiverAt] = [new Map<string, number>(), new Map<string, number>()]
  const keyOf = (trackingId: string, recordId: number) => `${trackingId} ${recordId}`
  const url = await openReceiver(context, body => {
    const { data } = JSON.parse(body) as { data: { trackingId: string; recordId: number } }
    atReceiverAt.set(keyOf(data.trackingId, data.recordId), performance.now())
  })
  const publisher = await openPublisher({
    NATS_URL: servers.natsUrl,
    STREAM_NAME: stream,
    SUBJECT_PREFIX: stream,
  })
  context.teardown(() => publisher.close())
  const chain = buildChain({ seed })
  const gateways = await Promise.all(Array.from({ length: GATEWAYS }, () => chain.openGateway()))
  for (const { address } of gateways) {
    await createWebhook(store, { gateway: address, endpointUrl: url, active: true })
  }
  const policies: ChainPolicy[] = []
  for (let n = 0; n < POLICIES; n++) {
    const userPayment = await chain.openUserPayment()
    policies.push(
      await chain.openPolicy(gateways[n % GATEWAYS]!, userPayment, { trackingId: `${seed}-${n}` }),
    )
  }
  for (const { created, userPayment } of policies) {
    for (const message of [userPayment.created, created]) await publisher.publish(JSON.stringify(message))
  }
  const load = await openSocketLoad(realtime.url, POLICIES, n => `${seed}-${n}`)
  context.teardown(() => load.close())
  load.onPayment(({ trackingId, recordId }) => {
    onSocketAt.set(keyOf(trackingId, recordId), performance.now())
  })
  let turn = 0
  const system: WholeSystem = {
    services: { ingest, realtime: realtime.service, 'webhook-worker': worker },
    store,
    sentAt,
    onSocketAt,
    atReceiverAt,
    async pay() {
      const policy = policies[turn++ % POLICIES]!
      const message = chain.pay(policy)
      sentAt.set(keyOf(policy.trackingId, Number(message.data.record_id)), performance.now())
      await publisher.publish(JSON.stringify(message))
    },
    forget: () => [sentAt, onSocketAt, atReceiverAt].forEach(times => times.clear()),
  }
  for (let n = 0; n < POLICIES; n++) await system.pay()
  await waitFor(() => onSocketAt.size >= POLICIES && atReceiverAt.size >= POLICIES, {
    what: 'a first payment of each',
    timeoutMs: 60_000,
  })
  system.forget()
  return system
}

/** Publishes at a steady rate, whether or not what was sent before has come through. */
export async function payAtRate(system: WholeSystem, perSecond: number, seconds: number): Promise<void> {
  const startedAt = performance.now()
  const sending: Promise<void>[] = []
  for (let n = 0; n < perSecond * seconds; n++) {
    const earlyMs = startedAt + (n * 1_000) / perSecond - performance.now()
    // Timers are no finer than a millisecond; below it several go at once.
    if (earlyMs >= 1) await sleep(earlyMs)
    const paying = system.pay()
    // Told below; until then nobody listens, and a bench that ends for another reason would end for this one.
    paying.catch(() => {})
    sending.push(paying)
  }
  await Promise.all(sending)
}
