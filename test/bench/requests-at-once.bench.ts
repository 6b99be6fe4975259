// REQUESTS_AT_ONCE_PER_ADDRESS limits an address with many connections, such as an office. This bench measures how much
// slower the limit makes that address, and how much faster another address is answered beside it.
import { request } from 'node:http'
import { once } from 'node:events'
import autocannon from 'autocannon'
import { measureOf, percentile, type Bench, type Row } from './bench.js'
import { openFilled } from './fill.js'
import { startBenchApi } from './start-bench-api.js'

const CONNECTIONS = 50
/** The default, and a limit that nobody reaches. */
const LIMITS = [16, 10_000]
const OTHER_EVERY_MS = 20

/** Asks from another address until `isOver`. @returns how many milliseconds each answer took */
async function askFromAnotherAddress(url: string, isOver: () => boolean): Promise<number[]> {
  const timesMs: number[] = []
  while (!isOver()) {
    const startedAt = performance.now()
    const sent = request(url, { localAddress: '127.0.0.2' }).end()
    const [answer] = (await once(sent, 'response')) as [import('node:http').IncomingMessage]
    answer.resume()
    await once(answer, 'end')
    timesMs.push(performance.now() - startedAt)
    await new Promise(resolve => setTimeout(resolve, OTHER_EVERY_MS))
  }
  return timesMs
}

export const bench: Bench = {
  name: 'requests-at-once',
  about: `${CONNECTIONS} connections of one address, with and without the limit of requests at once; another address beside`,
  async run(context): Promise<Row[]> {
    const { url } = await openFilled(context, context.quick ? 1_000 : 100_000)
    const [rounds, duration] = context.quick ? [1, 1] : [5, 3]
    const apis = []
    for (const limit of LIMITS)
      apis.push(await startBenchApi(context, url, { REQUESTS_AT_ONCE_PER_ADDRESS: String(limit) }))
    const figures = LIMITS.map(() => ({
      rates: [] as number[],
      p99s: [] as number[],
      others: [] as number[],
    }))
    for (let round = 0; round <= rounds; round++) {
      for (const [index, { baseUrl }] of apis.entries()) {
        let isOver = false
        const other = askFromAnotherAddress(`${baseUrl}/v1/events?limit=10`, () => isOver)
        const { requests, latency, non2xx, errors } = await autocannon({
          url: `${baseUrl}/v1/events`,
          connections: CONNECTIONS,
          duration,
          sampleInt: 250,
        })
        isOver = true
        if (non2xx + errors > 0) throw new Error(`${non2xx + errors} requests failed`)
        const timesMs = await other
        // The first round warms up.
        if (round === 0) continue
        figures[index]!.rates.push(requests.total / duration)
        figures[index]!.p99s.push(latency.p99)
        figures[index]!.others.push(percentile(timesMs, 0.5))
      }
    }
    const [limited, unlimited] = figures as [(typeof figures)[0], (typeof figures)[0]]
    const row = (subject: string, unit: string, pick: (of: typeof limited) => number[]): Row => ({
      subject,
      unit,
      largerIsBetter: unit === 'requests/s',
      measured: measureOf(pick(limited)),
      limit: { name: 'without the limit', measured: measureOf(pick(unlimited)) },
    })
    return [
      row(`${CONNECTIONS} connections of one address`, 'requests/s', ({ rates }) => rates),
      row(`${CONNECTIONS} connections of one address, p99`, 'ms', ({ p99s }) => p99s),
      row('another address beside them, p50', 'ms', ({ others }) => others),
    ]
  },
}
