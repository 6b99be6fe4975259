// Pages: CPU of the API and its connections of Postgres for one request, beside bare handlers. One request after the other:
// equal requests that wait share a read, and how many wait is chance. Look-ups have no row: asked one by one on a busy machine,
// most of their cost is what a process does by the clock (on one and the same tree a count had 0.26 to 0.81 of the limit).
import { cpuMicroseconds, watchBackends } from '../cpu.js'
import { openFilled } from '../fill.js'
import { load, questions, startBareApi } from '../reads-sides.js'
import { startBenchApi } from '../start-bench-api.js'
import type { GateKind } from './gate-kind.js'

/** What is asked, and how many requests are a turn. */
const ASKED = {
  'a page of 100 events': 250,
  'a page of 100 payments': 250,
}
const EVENTS = 10_000

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
      const [before, backends] = [cpuMicroseconds(pid), await watchBackends(pool, application)]
      await load(base + path, 1, { amount })
      return (cpuMicroseconds(pid) - before + (await backends())) / amount
    }
    return Object.entries(ASKED).map(([question, amount]) => ({
      name: question,
      subject: turn('subject', paths[question]!, amount),
      limit: turn('limit', paths[question]!, amount),
    }))
  },
}
