// What processes report of themselves, and how late the service is by that.
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { openStore } from '../../src/core/database/open-store.js'
import { forgetProcess, listProcesses, reportProcess } from '../../src/core/processes/process-rows.js'
import { readDelays } from '../../src/core/processes/read-delays.js'

const { url, pool } = await createDatabase(t)
const store = openStore({ DATABASE_URL: url })
t.teardown(() => store.close())

const report = (service: string, replica: string, waitingSeconds: number | null = null) =>
  reportProcess(store, {
    service,
    replica,
    version: '1',
    startedMsAgo: 1_000,
    workedMsAgo: null,
    waitingSeconds,
  })
const silence = (replica: string, since: string) =>
  pool.query(`update processes set seen_at = now() - $2::interval where replica = $1`, [replica, since])
const listed = async () => (await listProcesses(store)).map(({ replica }) => replica).toSorted()
const delays = async () => {
  const { payments, deliveries } = await readDelays(store)
  const rounded = (seconds: number | null) => seconds && Math.round(seconds)
  return { payments: rounded(payments), deliveries: rounded(deliveries) }
}
/** @param deliveries how many, and further columns */
const addDeliveries = (count: number, columns: Record<string, string>) =>
  pool.query(
    `with w as (insert into webhooks (gateway, endpoint_url, secret) values ('g', 'https://x.example/', 's') returning id)
     insert into deliveries (webhook_id, message_id, type, message, ${Object.keys(columns).join()})
     select w.id, 'message ' || n, 'payment.executed', 0, ${Object.values(columns).join()}
       from w, generate_series(1, ${count}) n`,
  )

t.test('a row goes a while after its process, but the last of its service stays', async t => {
  await report('worker', 'killed')
  await report('worker', 'alive')
  await silence('killed', '14 min')
  await report('worker', 'alive')
  t.same(await listed(), ['alive', 'killed'], 'for some minutes')
  await silence('killed', '16 min')
  await report('worker', 'alive')
  t.same(await listed(), ['alive'])
  await silence('alive', '3 h')
  await report('other', 'another')
  t.same(await listed(), ['alive', 'another'], 'nothing replaced it')
  const [longest] = await listProcesses(store)
  t.match(longest, { replica: 'alive', workedSecondsAgo: null, waitingSeconds: null })
  t.equal(Math.round(longest!.silentSeconds), 10_800)
  await forgetProcess(store, { service: 'worker', replica: 'alive' })
  t.same(await listed(), ['another'], 'one that ends properly is gone at once')
})

t.test('payments are as late as ingest says, and later while it says nothing', async t => {
  t.same(await delays(), { payments: null, deliveries: 0 }, 'nobody reads the stream')
  await report('ingest', 'one', 0)
  t.same(await delays(), { payments: 0, deliveries: 0 })
  await report('ingest', 'one', 75)
  t.same(await delays(), { payments: 75, deliveries: 0 })
  await report('ingest', 'one', null)
  t.same(await delays(), { payments: null, deliveries: 0 }, 'NATS does not answer')
  await report('ingest', 'one', 0)
  await silence('one', '66 s')
  t.same(await delays(), { payments: 66, deliveries: 0 }, 'it is frozen')
  await report('ingest', 'two', 0)
  t.same(await delays(), { payments: 0, deliveries: 0 }, 'another replica works')
})

t.test('deliveries are as late as the oldest that is due and not begun', async t => {
  const ago = (time: string) => `now() - interval '${time}'`
  await addDeliveries(1, { state: `'waiting'`, due_at: ago('5 min') })
  await addDeliveries(1, { due_at: ago('4 min'), claimed_until: `now() + interval '1 min'` })
  await addDeliveries(1, { due_at: `now() + interval '1 min'`, opened_at: ago('1 day') })
  t.match(await delays(), { deliveries: 0 }, 'deferred, being sent, not due yet')
  await addDeliveries(1, { due_at: ago('74 s') })
  t.match(await delays(), { deliveries: 74 })
  await report('webhook-worker', 'w')
  t.match(await delays(), { deliveries: 74 })
  await silence('w', '80 s')
  t.match(await delays(), { deliveries: 80 }, 'no worker reports')
  await report('webhook-worker', 'w')
  await addDeliveries(10_000, { state: `'waiting'`, due_at: ago('10 min') })
  t.match(await delays(), { deliveries: null }, 'behind so many that wait it is not known')
})
