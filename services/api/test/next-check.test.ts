// A round of due dates looks at the policies whose next check has come, and at no other: whatever changes their dates, or who
// asks for them, none is missed.
import { openStore } from '@payment-tracking/store/core'
import { notifyDuePolicies, type CachedAsks } from '@payment-tracking/store/messages'
import { createDatabase, insertWebhook, waitFor, SENT } from '@payment-tracking/testkit'
import t from 'tap'
import { openApi } from './open-api.js'
import { keyOf, subscriptionOf, openChain } from './open-chain.js'

const DAY = 86_400
const NOW = Math.floor(Date.now() / 1000)
const MARGINS = { soonSeconds: 3 * DAY, graceSeconds: 7_200, limit: 500 }

const api = await openApi(t, {}, () => Date.now())
const { pool } = api.database
const chain = openChain(api.store)
const gateway = keyOf('gateway')
const addWebhook = (...names: string[]) =>
  insertWebhook(pool, gateway, { types: names.map(name => `subscription.${name}`) })
const open = (memo: string, due: number, others = {}) =>
  chain.policy({
    gateway,
    owner: keyOf(memo),
    memo,
    at: NOW - 60 * DAY,
    type: subscriptionOf({ payment_frequency: { Weekly: null }, next_payment_due: String(due), ...others }),
  })

const cached: CachedAsks = new Map()
/** @returns what the round sends, by tracking ID */
const round = async (): Promise<string[]> => {
  await pool.query('delete from deliveries')
  await notifyDuePolicies(api.store, { ...MARGINS, cached })
  const { rows } = await pool.query<{ sent: string }>(
    `select substr(type, 14) || ' ' || (body::json -> 'data' ->> 'trackingId') as sent from ${SENT} d order by 1`,
  )
  return rows.map(({ sent }) => sent)
}
const nextCheckOf = async ({ address }: { address: string }): Promise<number | null> => {
  const { rows } = await pool.query<{ check: number | null }>(
    'select next_check_at::float8 as check from policies where address = $1',
    [address],
  )
  return rows[0]!.check
}
/** As if so much time had passed. */
const pass = (seconds: number) =>
  pool.query(
    'update policies set due_at = due_at - $1::int, ends_at = ends_at - $1::int, next_check_at = next_check_at - $1::int',
    [seconds],
  )

await addWebhook('overdue', 'expired')
const far = await open('far', NOW + 10 * DAY)
await round()

t.test('a date is looked at before it comes, and not between', async t => {
  t.equal(await nextCheckOf(far), 0, 'a policy that is new is looked at')
  t.same(await round(), [])
  t.equal(await nextCheckOf(far), NOW + 7 * DAY, 'then when its date is near')
  await pass(7 * DAY)
  t.same(await round(), [], 'which nobody asked for')
  t.equal(await nextCheckOf(far), NOW + 3 * DAY + 7_201)
  await pass(3 * DAY + 7_100)
  t.same(await round(), [])
  await pass(101)
  t.same(await round(), ['overdue far'])
  t.equal(await nextCheckOf(far), null, 'time alone brings no more')
})

t.test('a payment leaves the next check, unless nothing was left to check', async t => {
  const paid = await open('paid', NOW + DAY)
  await round()
  const check = NOW + DAY + 7_201
  t.equal(await nextCheckOf(paid), check)
  await chain.pay(paid, NOW + DAY)
  t.equal(await nextCheckOf(paid), check, 'earlier than the new date needs')
  await pass(DAY + 7_300)
  t.same(await round(), [], 'it was paid')
  t.equal(await nextCheckOf(paid), NOW + 8 * DAY - DAY - 7_300 - 3 * DAY)
  await chain.pay(far, NOW - 60)
  t.equal(await nextCheckOf(far), 0)
  await round()
  t.ok((await nextCheckOf(far))! > NOW)
})

t.test('what is taken back, paused, resumed or begins again is looked at', async t => {
  const policy = await open('changing', NOW - DAY)
  const payment = await chain.pay(policy, NOW - 60)
  await round()
  t.ok((await nextCheckOf(policy))! > NOW)
  await chain.retract(payment)
  t.equal(await nextCheckOf(policy), 0)
  t.same(await round(), ['overdue changing'])
  const change = (from: string, to: string, at: number) => chain.change(policy.address, to, at, from)
  await change('Active', 'Paused', NOW - 30)
  t.equal(await nextCheckOf(policy), null)
  await change('Paused', 'Active', NOW - 20)
  t.equal(await nextCheckOf(policy), 0)
  await change('Active', 'Paused', NOW - 15)
  await chain.pay(policy, NOW - 10)
  t.equal(await nextCheckOf(policy), 0, 'a payment resumes')
  await chain.remove(policy.address, policy.owner, NOW - 5)
  t.equal(await nextCheckOf(policy), null)
})

t.test('a webhook that asks for more is notified of what holds already', async t => {
  await open('near', NOW + DAY)
  await round()
  t.same(await round(), [])
  await addWebhook('due_soon')
  t.ok((await round()).includes('due_soon near'))
  t.same(await round(), [])
})

t.test('a process that starts with wider margins notifies of what they hold', async t => {
  await open('later', NOW + 5 * DAY)
  await round()
  await pool.query('delete from deliveries')
  await notifyDuePolicies(api.store, { ...MARGINS, soonSeconds: 7 * DAY })
  const { rows } = await pool.query(`select 1 from ${SENT} d where body like '%"later"%'`)
  t.equal(rows.length, 1)
})

t.test('payments of a subscription write no index', async t => {
  const database = await createDatabase(t)
  const open = () => openStore({ DATABASE_URL: database.url, poolSize: 1 })
  let store = open()
  t.teardown(() => store.close())
  const proxied = openChain(new Proxy(store, { get: (_, name): unknown => Reflect.get(store, name) }))
  /** Updates of policies. A server process tells what it counted before it leaves the list of processes. */
  const readUpdates = async () => {
    await store.close()
    const others = `select 1 from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`
    await waitFor(async () => (await database.pool.query(others)).rowCount === 0, { what: 'others to leave' })
    store = open()
    const { rows } = await database.pool.query<{ all: number; hot: number }>(
      `select n_tup_upd::float8 as all, n_tup_hot_upd::float8 as hot from pg_stat_user_tables where relname = 'policies'`,
    )
    return rows[0]!
  }
  const policy = await proxied.policy({
    gateway,
    owner: keyOf('hot'),
    memo: 'hot',
    at: NOW - 60 * DAY,
    type: subscriptionOf({ payment_frequency: { Weekly: null }, next_payment_due: String(NOW + DAY) }),
  })
  await database.pool.query('update policies set next_check_at = $1', [NOW])
  await database.pool.query('select pg_stat_force_next_flush()')
  const before = await readUpdates()
  const PAYMENTS = 20
  for (let n = 0; n < PAYMENTS; n++) await proxied.pay(policy, NOW + n)
  const after = await readUpdates()
  t.equal(after.all - before.all, PAYMENTS)
  t.ok(after.hot - before.hot >= PAYMENTS - 2, `${after.hot - before.hot} of ${PAYMENTS} are HOT`)
})
