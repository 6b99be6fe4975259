// A gateway's movements, cohorts and list of customers over a million events, as many clients of a console ask for them.
import { buildJwtKeys, findFreePort } from '@payment-tracking/stack'
import { createDatabase, filledEvents, fillEvents, startService, useServers } from '@payment-tracking/testkit'
import t from 'tap'
import { percentile } from '../bench/bench.js'
import { KEY, makeMerchant } from '../bench/merchant.bench.js'
import { areTimesJudged, P99_MS, SHARE } from './hold-bounds.js'

const EVENTS = Math.ceil(1_000_000 * SHARE)
/** Before times are measured: connections, plans and pages of the database are warm, as those of a service that runs. */
const WARM = 20
const ASKED = 300

t.setTimeout(1_800_000)
t.test(`movements and cohorts over ${EVENTS.toLocaleString('en')} events`, async t => {
  const { redisUrl } = await useServers(t)
  const database = await createDatabase(t)
  await fillEvents(database.pool, EVENTS)
  const filled = filledEvents(EVENTS)
  const gateway = filled.gateways[3]!
  await database.pool.query(
    `update events set payer = 'payer ' || position % 500, token_mint = coalesce(token_mint, 'usdc')
      where gateway = $1 and amount is not null`,
    [gateway],
  )
  await makeMerchant(database, gateway)
  const port = await findFreePort()
  await startService(t, 'api', {
    DATABASE_URL: database.url,
    REDIS_URL: redisUrl,
    NODE_ENV: 'production',
    PORT: String(port),
    RATE_LIMIT_MAX: '1000000000',
    JWT_PRIVATE_KEYS: buildJwtKeys(),
  })
  const ask = async (path: string): Promise<{ ms: number; body: Record<string, unknown> }> => {
    const startedAt = performance.now()
    const answer = await fetch(`http://127.0.0.1:${port}/v1/gateway/${gateway}/merchant/${path}`, {
      headers: { authorization: `Bearer ${KEY}` },
    })
    const body = (await answer.json()) as Record<string, unknown>
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}`)
    return { ms: performance.now() - startedAt, body }
  }
  const end = filled.timeOf(EVENTS).getTime()
  const since = (days: number) =>
    `startTime=${new Date(end - days * 86_400_000).toISOString()}&endTime=${new Date(end).toISOString()}`
  for (const [name, path] of Object.entries({
    'movements by day': `revenue?${since(30)}`,
    'movements by week': `revenue?${since(365)}&bucket=week`,
    cohorts: 'cohorts',
    customers: 'subscribers?limit=50',
  })) {
    const { body } = await ask(path)
    const rows = (body.byToken ?? body.items) as unknown[]
    t.ok(rows.length > 0, `${name}: something is told`)
    for (let n = 1; n < WARM; n++) await ask(path)
    const times: number[] = []
    for (let n = 0; n < ASKED; n++) times.push((await ask(path)).ms)
    const p99 = percentile(times, 0.99)
    const middle = percentile(times, 0.5)
    t.ok(!areTimesJudged || p99 <= P99_MS, `${name}: p99 ${p99.toFixed(1)} ms, p50 ${middle.toFixed(1)} ms`)
  }
})
