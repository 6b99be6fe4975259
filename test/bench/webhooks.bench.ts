import { inTurns, type Bench, type BenchContext, type Row } from './bench.js'
import { openBacklog, openEndpoints, openLoop } from './webhook-rig.js'

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

export const bench: Bench = {
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
