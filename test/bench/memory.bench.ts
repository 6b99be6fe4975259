import { setTimeout as sleep } from 'node:timers/promises'
import { measureOf, percentile, type Bench, type BenchContext } from './bench.js'
import { openFilled } from './fill.js'
import { residentKib } from './socket-load.js'
import { startBenchApi } from './start-bench-api.js'
import { openWholeSystem, payAtRate } from './whole-system.js'

/** About half of what the slowest of the services takes from a machine that all share. */
const PAYMENTS_PER_SECOND = 500
const REQUESTS_PER_SECOND = 500
const SAMPLE_MS = 1_000

/** Asks for a page again and again, at a steady rate. */
async function readAtRate(ask: (path: string) => Promise<number>, seconds: number): Promise<void> {
  const startedAt = performance.now()
  const asking: Promise<number>[] = []
  for (let n = 0; n < seconds * REQUESTS_PER_SECOND; n++) {
    const earlyMs = startedAt + (n * 1_000) / REQUESTS_PER_SECOND - performance.now()
    if (earlyMs >= 1) await sleep(earlyMs)
    const answering = ask(n % 2 ? '/v1/events?limit=10' : `/v1/onetime/order-${n % 10}`)
    answering.catch(() => {})
    asking.push(answering)
    if (asking.length >= 1_000) await Promise.all(asking.splice(0))
  }
  await Promise.all(asking)
}

async function sampleWhile(work: Promise<unknown>, pids: Readonly<Record<string, number>>) {
  const samples: Record<string, number[]> = Object.fromEntries(Object.keys(pids).map(name => [name, []]))
  let isDone = false
  const done = work.finally(() => (isDone = true))
  while (!isDone) {
    for (const [name, pid] of Object.entries(pids)) samples[name]!.push(residentKib(pid) / 1_024)
    await Promise.race([sleep(SAMPLE_MS), done])
  }
  await done
  return samples
}

/** The first minute warms up: compiled code and filled caches are no leak. */
const afterWarmUp = (figures: readonly number[]) => figures.slice(Math.floor(figures.length / 10))

async function runLoad(context: BenchContext, seconds: number) {
  const { url } = await openFilled(context, context.quick ? 1_000 : 10_000)
  const api = await startBenchApi(context, url)
  const system = await openWholeSystem(context, 'memory')
  const pids = Object.fromEntries(
    Object.entries({ ...system.services, api }).map(([name, { pid }]) => [name, pid]),
  )
  // The load forgets its payments as it goes, or the bench itself would grow.
  const forgetting = setInterval(() => system.forget(), 5_000)
  const progress = setInterval(
    () =>
      context.say(
        Object.entries(pids)
          .map(([name, pid]) => `${name} ${Math.round(residentKib(pid) / 1_024)} MiB`)
          .join(', '),
      ),
    30_000,
  )
  try {
    return await sampleWhile(
      Promise.all([payAtRate(system, PAYMENTS_PER_SECOND, seconds), readAtRate(api.ask, seconds)]),
      pids,
    )
  } finally {
    clearInterval(forgetting)
    clearInterval(progress)
  }
}

export const bench: Bench = {
  name: 'memory',
  about: `resident memory of each service over ten minutes of ${PAYMENTS_PER_SECOND} payments/s and ${REQUESTS_PER_SECOND} reads/s`,
  async run(context) {
    const samples = await runLoad(context, context.quick ? 1 : 600)
    return Object.entries(samples).map(([name, figures]) => {
      const counted = afterWarmUp(figures)
      const third = Math.ceil(counted.length / 3)
      return {
        subject: `${name}, the last third of the run`,
        unit: 'MiB',
        largerIsBetter: false,
        measured: measureOf(counted.slice(-third)),
        limit: { name: 'its first third, after a minute', measured: measureOf(counted.slice(0, third)) },
        note: `largest of all samples: ${Object.entries(samples)
          .map(([service, all]) => `${service} ${Math.round(percentile(all, 1))} MiB`)
          .join(', ')}`,
      }
    })
  },
}
