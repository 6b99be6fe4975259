// The two sides of the benches of reads: the API, and bare handlers, over the same database. Both answer each path.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'
import type { FilledEvents } from '@payment-tracking/testkit'
import type { BenchContext } from './bench.js'

/** What is asked. Both sides answer each path alike. */
export const questions = (filled: FilledEvents, count: number): Record<string, string> => {
  // A payment, so that there is a trace.
  const middle = Math.floor(count / 200) * 100 + 10
  const [gateway, trackingId] = [filled.gateways[3]!, filled.trackingIds[7]!]
  const cursor = Buffer.from(
    `t ${filled.timeOf(middle).getTime()} ${filled.slotOf(middle)} 0 00000000-0000-4000-8000-000000000000`,
  ).toString('base64url')
  return {
    'one payment of a tracking ID': `/v1/onetime/${trackingId}?limit=1`,
    'payments of a tracking ID': `/v1/onetime/${trackingId}`,
    'a subscription by tracking ID': `/v1/subscriptions?trackingId=${trackingId}`,
    'a page of 100 events': '/v1/events',
    'a page of 100 from the middle': `/v1/events?cursor=${cursor}`,
    'a page of 100 of a gateway': `/v1/events?gateway=${gateway}`,
    'a page of 100 payments': '/v1/events/payments',
    'events of a transaction': `/v1/events?signature=${filled.signatureOf(middle)}`,
    'a trace': `/v1/payments/${filled.signatureOf(middle)}/trace`,
    names: '/v1/events/names',
    count: '/v1/events/count',
    'statistics of a gateway': `/v1/events/payments/stats?gateway=${gateway}`,
  }
}

export interface BareApi {
  baseUrl: string
  pid: number
  /** of its connections, in `pg_stat_activity` */
  applicationName: string
}

export async function startBareApi(context: BenchContext, databaseUrl: string): Promise<BareApi> {
  const applicationName = 'bare-api'
  const child = fork(new URL('./bare-api.mjs', import.meta.url), {
    execArgv: [],
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      PGAPPNAME: applicationName,
    },
  })
  context.teardown(() => child.kill())
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return { baseUrl: `http://127.0.0.1:${port}`, pid: child.pid!, applicationName }
}

export interface Load {
  perSecond: number
  p50Ms: number
  p99Ms: number
}

/** @param extent how long, or in a quick run how many requests */
export async function load(
  url: string,
  connections: number,
  extent: { duration: number } | { amount: number },
): Promise<Load> {
  const result = await autocannon({ url, connections, sampleInt: 250, ...extent })
  if (result.errors + result.non2xx > 0) throw new Error(`${url}: ${result.errors + result.non2xx} failures`)
  return {
    perSecond: result.requests.total / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  }
}
