import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { openReceiver, waitFor } from '@payment-tracking/testkit'
import { inTurns, percentile, type Bench, type BenchContext, type Row } from './bench.js'
import { countOpen, forkBeside, openRig } from './webhook-rig.js'

/** The p99 of healthy endpoints with 10 % hanging and 10 % refusing beside them, against the run without. */
async function measureIsolation(context: BenchContext): Promise<Row> {
  const seconds = context.quick ? 2 : 30
  const receiver = forkBeside(context, './webhook-receiver.mjs')
  const [{ port }] = (await once(receiver, 'message')) as [{ port: number }]
  const healthy = await openReceiver(context)
  const p99 = async (withBad: boolean): Promise<number> => {
    const rig = await openRig(context)
    const good = await rig.addWebhooks(Array<string>(40).fill(healthy.url))
    const bad = await rig.addWebhooks(
      withBad
        ? ['/hang', '/refuse'].flatMap(path => Array<string>(5).fill(`http://127.0.0.1:${port}${path}`))
        : [],
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

export const bench: Bench = {
  name: 'webhooks-isolation',
  about: 'what endpoints that hang and refuse cost the healthy ones',
  run: async context => [await measureIsolation(context)],
}
