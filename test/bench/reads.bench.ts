// Every kind of read over so many events, with one connection and with fifty, beside the bare limit.
import { inTurns, measureOf, percentile, type Bench, type Row } from './bench.js'
import { openFilled } from './fill.js'
import { load, questions, startBareApi, type Load } from './reads-sides.js'
import { startBenchApi } from './start-bench-api.js'

const GOAL = 'goal of lookups by tracking ID and pages of 100, with 50 connections: at least 0.8 of the limit'

/** The answer to a request, without the time of the answer. */
const answerOf = async (base: string, path: string): Promise<unknown> => {
  const text = (await (await fetch(base + path)).text()).replace(/,"timestamp":\d+\}$/, '}')
  return JSON.parse(text) as unknown
}

/** Whether everything that `part` says stands in `whole`, which may say more. */
function isPartOf(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null) return Object.is(part, whole)
  if (typeof whole !== 'object' || whole === null) return false
  if (Array.isArray(part) && part.length !== (whole as unknown[]).length) return false
  return Object.entries(part).every(([key, value]) =>
    isPartOf(value, (whole as Record<string, unknown>)[key]),
  )
}

/** All that the limit says must stand in the subject's answer. The limit leaves out the additive fields. */
async function checkAnswers(subject: string, limit: string, path: string): Promise<void> {
  if (path.includes('/trace')) return
  const [one, other] = await Promise.all([answerOf(subject, path), answerOf(limit, path)])
  if (!isPartOf(other, one))
    throw new Error(`${path} is answered differently:\n${JSON.stringify(one)}\n${JSON.stringify(other)}`)
}

/** @param counts how many events, in earnest and in a quick run */
const readsBench = (name: string, counts: { full: number; quick: number }): Bench => ({
  name,
  about: `each read over ${counts.full.toLocaleString('en')} events, 1 and 50 connections, beside bare Fastify and pg`,
  async run(context) {
    const count = context.quick ? counts.quick : counts.full
    const rounds = context.quick ? 1 : 2
    const extent = context.quick ? { amount: 100 } : { duration: 1.5 }
    const { url, filled } = await openFilled(context, count)
    const { baseUrl } = await startBenchApi(context, url)
    const { baseUrl: bare } = await startBareApi(context, url)
    const every = Object.entries(questions(filled, count))
    for (const [, path] of every) await checkAnswers(baseUrl, bare, path)
    const asked = every.slice(0, context.quick ? 1 : undefined)
    const rows: Row[] = []
    // What all questions have in common takes both processes seconds of load to compile; the first would pay for all.
    for (const [, path] of asked) for (const base of [baseUrl, bare]) await load(base + path, 50, extent)
    for (const [question, path] of asked) {
      for (const connections of context.quick ? [50] : [50, 1]) {
        const loads: Load[] = []
        const rate = async (base: string) => {
          const measured = await load(base + path, connections, extent)
          if (base === baseUrl) loads.push(measured)
          return measured.perSecond
        }
        const { subject, limit } = await inTurns(
          rounds,
          () => rate(baseUrl),
          () => rate(bare),
        )
        const counted = loads.slice(1)
        const p99 = percentile(
          counted.map(({ p99Ms }) => p99Ms),
          0.5,
        )
        context.say(
          `${question}, ${connections}: ${subject.median.toFixed(0)}/s, ${(subject.median / limit.median).toFixed(2)} of the limit`,
        )
        rows.push({
          subject: `${question}, ${count.toLocaleString('en')} events, ${connections === 1 ? '1 connection' : `${connections} connections`} (p50 ${measureOf(counted.map(({ p50Ms }) => p50Ms)).median} ms, p99 ${p99} ms)`,
          unit: 'requests/s',
          largerIsBetter: true,
          measured: subject,
          limit: { name: 'bare Fastify and pg', measured: limit },
          note: GOAL,
        })
      }
    }
    return rows
  },
})

export const benches = [
  readsBench('reads-10k', { full: 10_000, quick: 1_000 }),
  readsBench('reads-1m', { full: 1_000_000, quick: 1_000 }),
  readsBench('reads-5m', { full: 5_000_000, quick: 1_000 }),
]
