// A worker or an api whose machine had lost its time dated webhooks and tokens so that every receiver refused them.
import { createDatabase, startService, useRedis } from '@payment-tracking/testkit'
import t from 'tap'

/** Node runs this before the service: its clock differs by so many seconds from the machine's. */
const shiftedBy = (seconds: number) =>
  `--import=data:text/javascript,${encodeURIComponent(
    `const now = Date.now; Date.now = () => now() + ${seconds * 1_000}`,
  )}`

t.test('a service does not start with a clock that is off, and shows a smaller skew', async t => {
  const database = await createDatabase(t)
  const redis = await useRedis(t)
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url }
  for (const [seconds, side] of [
    [8, 'ahead of'],
    [-8, 'behind'],
  ] as const) {
    const refused = await startService(
      t,
      'webhook-worker',
      { ...env, NODE_OPTIONS: shiftedBy(seconds) },
      { waitUntilReady: false },
    )
    const { err } = (await refused.waitForLog('service.start-failed')) as { err?: { message?: string } }
    // An answer of Postgres that comes late takes from the first and adds to the second.
    t.match(err?.message, new RegExp(`clock of this machine is \\d+\\.\\d s ${side} the clock of Postgres`))
  }
  const started = await startService(t, 'webhook-worker', { ...env, NODE_OPTIONS: shiftedBy(3) })
  const skew = await started.figure('payment_tracking_clock_skew_seconds')
  t.ok(skew > 2 && skew <= 3, `${skew} s`)
})
