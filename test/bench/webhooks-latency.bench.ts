import { setTimeout as sleep } from 'node:timers/promises'
import { openReceiver } from '@payment-tracking/testkit'
import { measureOf, percentile, type Bench, type BenchContext, type Row } from './bench.js'
import { openRig } from './webhook-rig.js'

const WEBHOOKS = 50

/** From the commit of the payment's transaction to the request at the receiver, at 100 payments a second. */
async function measureLatency(context: BenchContext): Promise<Row[]> {
  const seconds = context.quick ? 2 : 20
  const rig = await openRig(context)
  const receiver = await openReceiver(context)
  const gateways = await rig.addWebhooks(Array<string>(WEBHOOKS).fill(receiver.url))
  await rig.pay(gateways, WEBHOOKS)
  await receiver.waitForRequests(WEBHOOKS, { timeoutMs: 60_000 })
  receiver.requests.length = 0
  const committedAt = new Map<string, number>()
  const startedAt = performance.now()
  const count = seconds * 100
  const paid: Promise<void>[] = []
  for (let n = 0; n < count; n++) {
    await sleep(Math.max(0, startedAt + n * 10 - performance.now()))
    paid.push(rig.pay([gateways[n % WEBHOOKS]!], 1))
  }
  await Promise.all(paid)
  await receiver.waitForRequests(count, { timeoutMs: 60_000 })
  const { rows } = await rig.database.pool.query<{ message_id: string; created_at: Date }>(
    'select message_id, created_at from deliveries',
  )
  for (const row of rows) committedAt.set(row.message_id, row.created_at.getTime())
  const delays = receiver.requests.map(
    ({ headers, receivedAtMs }) => receivedAtMs - committedAt.get(String(headers['webhook-id']))!,
  )
  return [0.5, 0.99].map(share => ({
    subject: `payment written → first attempt arrives, 100 payments/s, p${share * 100}`,
    unit: 'ms',
    largerIsBetter: false,
    measured: measureOf([percentile(delays, share)]),
    note: 'the row’s own time, which is before the commit, to arrival at the receiver',
  }))
}

export const bench: Bench = {
  name: 'webhooks-latency',
  about: 'a payment is written → the first attempt arrives at the receiver',
  run: measureLatency,
}
