import { setTimeout as sleep } from 'node:timers/promises'
import { openReceiver, waitFor } from '@payment-tracking/testkit'
import { inTurns, measureOf, percentile, type Bench, type BenchContext, type Row } from './bench.js'
import { countOpen, openBacklog, openBareWorker, openEndpoints, openRig } from './webhook-rig.js'

/** A backlog, worked off by one worker process, beside a bare worker of BullMQ. Both are warm: the same processes in all turns. */
async function measureRate(
  context: BenchContext,
  { endpoints, afterMs, count }: { endpoints: number; afterMs: number; count: number },
): Promise<Row> {
  const turn = context.quick ? 500 : count
  const urls = await openEndpoints(context, endpoints, `after-${afterMs}`)
  const { deliver } = await openBacklog(context, urls, turn)
  const { subject, limit } = await inTurns(
    context.quick ? 1 : 3,
    async round => {
      const perSecond = await deliver()
      context.say(`${endpoints} endpoints, round ${round}: ${Math.round(perSecond)} deliveries/s`)
      return perSecond
    },
    openBareWorker(context, urls, turn).post,
  )
  return {
    subject: `deliveries of one worker, a backlog of ${turn}, ${endpoints} ${endpoints === 1 ? 'endpoint that answers' : 'endpoints that answer'} after ${afterMs} ms`,
    unit: 'deliveries/s',
    largerIsBetter: true,
    measured: subject,
    limit: { name: 'a bare worker of BullMQ posting the same signed bytes', measured: limit },
    note: 'goal for 10 endpoints: a ratio of 0.5; breaker, caps, address check and stored answers on; logs at warn',
  }
}

/** From the commit of a delivery to its request, when nothing else is done. */
async function measureIdle(context: BenchContext): Promise<Row> {
  const receiver = await openReceiver(context)
  const rig = await openRig(context)
  const gateways = await rig.addWebhooks([receiver.url])
  const count = context.quick ? 20 : 200
  const pay = async () => {
    const { length } = receiver.requests
    await rig.pay(gateways, 1)
    await receiver.waitForRequests(length + 1)
    await sleep(20)
  }
  for (let n = 0; n < 10; n++) await pay()
  receiver.requests.length = 0
  for (let n = 0; n < count; n++) await pay()
  const { rows } = await rig.database.pool.query<{ message_id: string; created_at: Date }>(
    'select message_id, created_at from deliveries',
  )
  const committedAt = new Map(rows.map(row => [row.message_id, row.created_at.getTime()]))
  const times = receiver.requests.map(
    ({ headers, receivedAtMs }) => receivedAtMs - committedAt.get(String(headers['webhook-id']))!,
  )
  return {
    subject: 'a lone delivery, from its commit to its request, p50',
    unit: 'ms',
    largerIsBetter: false,
    measured: measureOf([percentile(times, 0.5)]),
    note: 'goal: 40 ms',
  }
}

const rates: Bench = {
  name: 'webhooks',
  about: 'delivery rows and jobs → signed requests, answers stored; one worker process',
  async run(context) {
    const rows = [
      await measureIdle(context),
      await measureRate(context, { endpoints: 10, afterMs: 1, count: 10_000 }),
    ]
    if (context.quick) return rows
    for (const turn of [
      { endpoints: 1, afterMs: 1, count: 10_000 },
      { endpoints: 1_000, afterMs: 1, count: 10_000 },
      // 64 requests at a time: 640 a second are the most.
      { endpoints: 1, afterMs: 100, count: 3_000 },
    ])
      rows.push(await measureRate(context, turn))
    return rows
  },
}

/** The p99 of healthy endpoints with 10 % hanging and 10 % refusing beside them, against the run without. */
async function measureIsolation(context: BenchContext): Promise<Row> {
  const seconds = context.quick ? 2 : 30
  const [url] = await openEndpoints(context, 1, '')
  const healthy = await openReceiver(context)
  const p99 = async (withBad: boolean): Promise<number> => {
    const rig = await openRig(context)
    const good = await rig.addWebhooks(Array<string>(40).fill(healthy.url))
    const bad = await rig.addWebhooks(
      withBad ? ['hang', 'refuse'].flatMap(path => Array<string>(5).fill(url! + path)) : [],
    )
    await rig.pay(good, good.length)
    await waitFor(async () => (await countOpen(rig)) === 0, { what: 'the worker', timeoutMs: 60_000 })
    healthy.requests.length = 0
    const all = [...good, ...bad]
    const startedAt = performance.now()
    const paid: Promise<void>[] = []
    for (let n = 0; n < seconds * 100; n++) {
      await sleep(Math.max(0, startedAt + n * 10 - performance.now()))
      paid.push(rig.pay([all[n % all.length]!], 1))
    }
    await Promise.all(paid)
    const { rows } = await waitFor(
      async () => {
        const answer = await rig.database.pool.query<{ message_id: string; created_at: Date }>(
          `select d.message_id, d.created_at from deliveries d join webhooks w on w.id = d.webhook_id
            where w.endpoint_url = $1`,
          [healthy.url],
        )
        return healthy.requests.length >= answer.rows.length - good.length ? answer : false
      },
      { what: 'the healthy ones', timeoutMs: 120_000 },
    )
    const committedAt = new Map(rows.map(row => [row.message_id, row.created_at.getTime()]))
    await rig.worker.stop('SIGKILL')
    return percentile(
      healthy.requests.map(
        ({ headers, receivedAtMs }) => receivedAtMs - committedAt.get(String(headers['webhook-id']))!,
      ),
      0.99,
    )
  }
  const { subject, limit } = await inTurns(
    context.quick ? 1 : 3,
    () => p99(true),
    () => p99(false),
  )
  return {
    subject: 'p99 of healthy endpoints beside 10 % hanging and 10 % refusing ones, 100 payments/s',
    unit: 'ms',
    largerIsBetter: false,
    measured: subject,
    limit: { name: 'the run without them', measured: limit },
  }
}

const isolation: Bench = {
  name: 'webhooks-isolation',
  about: 'what endpoints that hang and refuse cost the healthy ones',
  run: async context => [await measureIsolation(context)],
}

export const benches = [rates, isolation]
