// Reads: CPU of the API and its connections of Postgres for one request, beside bare handlers.
import { backendMicroseconds, cpuMicroseconds } from '../cpu.js'
import { openFilled } from '../fill.js'
import { load, questions, startBareApi } from '../reads-sides.js'
import { startBenchApi } from '../start-bench-api.js'
import type { GateKind } from './gate-kind.js'

/** What is asked, and how many requests are a turn: each takes a good quarter of a second. */
const ASKED = {
  'a page of 100 events': 400,
  'a page of 100 payments': 400,
  'one payment of a tracking ID': 1_500,
  'a subscription by tracking ID': 1_500,
  count: 1_500,
  'statistics of a gateway': 1_500,
}
const EVENTS = 10_000
const CONNECTIONS = 20

export const reads: GateKind = {
  rows: Object.keys(ASKED),
  async open(context) {
    const { url, pool, filled } = await openFilled(context, EVENTS)
    const api = await startBenchApi(context, url)
    const bare = await startBareApi(context, url)
    const sides = {
      subject: { base: api.baseUrl, pid: api.pid, application: 'payment-tracking-api' },
      limit: { base: bare.baseUrl, pid: bare.pid, application: bare.applicationName },
    }
    const paths = questions(filled, EVENTS)
    const turn = (side: keyof typeof sides, path: string, amount: number) => async () => {
      const { base, pid, application } = sides[side]
      const used = async () => cpuMicroseconds(pid) + (await backendMicroseconds(pool, application))
      const before = await used()
      await load(base + path, CONNECTIONS, { amount })
      return ((await used()) - before) / amount
    }
    return Object.entries(ASKED).map(([question, amount]) => ({
      name: question,
      subject: turn('subject', paths[question]!, amount),
      limit: turn('limit', paths[question]!, amount),
    }))
  },
}
