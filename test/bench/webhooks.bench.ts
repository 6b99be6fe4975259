import { setTimeout as sleep } from 'node:timers/promises'
import { openReceiver, waitFor } from '@payment-tracking/testkit'
import { inTurns, percentile, type Bench, type BenchContext, type Row } from './bench.js'
import { countOpen, openBacklog, openEndpoints, openLoop, openRig } from './webhook-rig.js'

/** What the receiver does, and how many deliveries a turn has. */
interface Answer {
  path: string
  words: string
  count: number
}
/** 64 requests at a time: 640 a second are the most at 100 ms. */
const SLOW: Answer[] = [
  { path: 'after-1', words: ' that answers after 1 ms', count: 10_000 },
  { path: 'after-100', words: ' that answers after 100 ms', count: 3_000 },
]

/**
 * A backlog, worked off by one worker process, beside the bare loop.
 * @param age `fresh`: both sides are new processes at each turn, as after a deployment. `warm`: the same two
 *   processes all along. The bare loop gains four to six times from the compiler after 20,000 requests, a worker
 *   hardly any: the two ratios are far apart.
 */
async function measureRate(
  context: BenchContext,
  endpoints: number,
  age: 'fresh' | 'warm',
  answer: Answer = { path: 'hook', words: '', count: 10_000 },
): Promise<Row> {
  const count = context.quick ? 500 : answer.count
  const { urls, url } = await openEndpoints(context, endpoints, answer.path)
  const openers = {
    worker: async () => (await openBacklog(context, urls, count)).deliver,
    loop: () => Promise.resolve(openLoop(context, url, count).post),
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
    subject: `deliveries of one ${age} worker, a backlog of ${count}, ${endpoints} ${endpoints === 1 ? 'endpoint' : 'endpoints'}${answer.words}`,
    unit: 'deliveries/s',
    largerIsBetter: true,
    measured: subject,
    limit: { name: `a ${age} bare undici loop posting the same signed bytes`, measured: limit },
    note: 'goals: 2,000 and a ratio of 0.25; breaker, caps, address check and stored answers on; logs at warn',
  }
}

const rates: Bench = {
  name: 'webhooks',
  about: 'delivery rows and jobs → signed requests, answers stored; one worker process',
  async run(context) {
    if (context.quick) return [await measureRate(context, 10, 'fresh')]
    const rows = [await measureRate(context, 10, 'fresh')]
    for (const endpoints of [1, 10, 1_000]) rows.push(await measureRate(context, endpoints, 'warm'))
    for (const answer of SLOW) rows.push(await measureRate(context, 1, 'warm', answer))
    return rows
  },
}

/** The p99 of healthy endpoints with 10 % hanging and 10 % refusing beside them, against the run without. */
async function measureIsolation(context: BenchContext): Promise<Row> {
  const seconds = context.quick ? 2 : 30
  const { url } = await openEndpoints(context, 1, '')
  const healthy = await openReceiver(context)
  const p99 = async (withBad: boolean): Promise<number> => {
    const rig = await openRig(context)
    const good = await rig.addWebhooks(Array<string>(40).fill(healthy.url))
    const bad = await rig.addWebhooks(
      withBad ? ['hang', 'refuse'].flatMap(path => Array<string>(5).fill(url + path)) : [],
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
