// Pages: CPU of the API and its connections of Postgres for one request, beside bare handlers. One request after the other:
// equal requests that wait share a read, and how many wait is chance. Look-ups have no row: asked one by one on a busy machine,
// most of their cost is what a process does by the clock (on one and the same tree a count had 0.26 to 0.81 of the limit).
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { buildJwtKeys, findFreePort } from '@payment-tracking/stack'
import { createDatabase, fillEvents, startService } from '@payment-tracking/testkit'
import autocannon from 'autocannon'
import type { BenchContext, GateKind } from '../bench.js'
import { cpuMicroseconds, watchBackends } from '../cpu.js'

/** What is asked. Both sides answer each path. */
const ASKED = { 'a page of 100 events': '/v1/events', 'a page of 100 payments': '/v1/events/payments' }
const EVENTS = 10_000
/** Requests of a turn. */
const REQUESTS = 250

interface Side {
  base: string
  pid: number
  /** of its connections, in `pg_stat_activity` */
  application: string
}

/** The API, with everything on but a limit that nobody reaches. */
async function startApi(context: BenchContext, databaseUrl: string): Promise<Side> {
  const port = await findFreePort()
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: context.servers.redisUrl,
    NODE_ENV: 'production',
    PORT: String(port),
    RATE_LIMIT_MAX: '1000000000',
    JWT_PRIVATE_KEYS: buildJwtKeys(),
  }
  const { pid } = await startService(context, 'api', env, { keepLogs: false })
  return { base: `http://127.0.0.1:${port}`, pid, application: 'payment-tracking-api' }
}

async function startBareApi(context: BenchContext, databaseUrl: string): Promise<Side> {
  const application = 'bare-api'
  const { PATH } = process.env
  const child = fork(new URL('../bare-api.mjs', import.meta.url), {
    execArgv: [],
    env: { PATH, NODE_ENV: 'production', DATABASE_URL: databaseUrl, PGAPPNAME: application },
  })
  context.teardown(() => child.kill())
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { base: `http://127.0.0.1:${port}`, pid: child.pid!, application }
}

export const reads: GateKind = {
  rows: Object.keys(ASKED),
  async open(context) {
    const { url, pool } = await createDatabase(context, { serverUrl: context.servers.databaseUrl })
    await fillEvents(pool, EVENTS)
    const [api, bare] = [await startApi(context, url), await startBareApi(context, url)]
    const turn =
      ({ base, pid, application }: Side, path: string) =>
      async () => {
        const [before, backends] = [cpuMicroseconds(pid), await watchBackends(pool, application)]
        const { errors, non2xx } = await autocannon({
          url: base + path,
          connections: 1,
          amount: REQUESTS,
          // It ends at a sample, and what a process does by the clock meanwhile would count.
          sampleInt: 100,
        })
        if (errors + non2xx > 0) throw new Error(`${path}: ${errors + non2xx} failures`)
        return (cpuMicroseconds(pid) - before + (await backends())) / REQUESTS
      }
    return Object.entries(ASKED).map(([name, path]) => ({
      name,
      subject: turn(api, path),
      limit: turn(bare, path),
    }))
  },
}
