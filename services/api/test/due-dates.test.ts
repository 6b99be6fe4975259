// REST, webhooks and sockets say the same of a policy's dates. No date that anybody can store makes one of them fail:
// hostile-policies.test.ts.
import { dueNoticeOf } from '@payment-tracking/domain'
import { listQuarantined, takeBack } from '@payment-tracking/store/core'
import { readTrackedPolicies } from '@payment-tracking/store/reads'
import { notifyDuePolicies } from '@payment-tracking/store/messages'
import { insertWebhook, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openApi } from './open-api.js'
import { keyOf, payAsYouGoOf, subscriptionOf, openChain } from './open-chain.js'

const DAY = 86_400
const NOW = Math.floor(Date.now() / 1000)
const TYPES = ['due_soon', 'overdue', 'expired'].map(name => `subscription.${name}`)
const LIMITS = { soonSeconds: 3 * DAY, graceSeconds: 7_200, limit: 500 }

const api = await openApi(t, {}, () => Date.now())
const { pool } = api.database
const chain = openChain(api.store)

const addWebhook = (gateway: string, filters: object | null = null) =>
  insertWebhook(pool, gateway, { types: TYPES, filters })
/** By policy, sorted: the due dates and ends that webhooks were notified of. */
const sentOf = async (gateway: string): Promise<Map<string, string>> => {
  // Several processes look at one time.
  await Promise.all([1, 2, 3].map(() => notifyDuePolicies(api.store, LIMITS)))
  const { rows } = await pool.query<{ policy: string; notice: string }>(
    `select m.body::json -> 'data' ->> 'paymentPolicy' as policy, d.type || ' ' || (m.body::json -> 'data' ->> 'dueAt') as notice
       from deliveries d join messages m on m.id = d.message join webhooks w on w.id = d.webhook_id where w.gateway = $1 order by 1, 2`,
    [gateway],
  )
  const sent = new Map<string, string>()
  for (const { policy, notice } of rows) sent.set(policy, [sent.get(policy) ?? [], notice].flat().join())
  return sent
}
/** By policy, what sockets are notified of. */
const noticesOf = async (addresses: string[]): Promise<Map<string, string>> => {
  const policies = await readTrackedPolicies(api.store, { trackingIds: [], addresses, ...LIMITS })
  return new Map(policies.map(({ address, notices }) => [address, notices.join()]))
}
/** By policy, what REST serves. */
const statesOf = async (gateway: string): Promise<Map<string, string>> => {
  const states = new Map<string, string>()
  let url: string | undefined = `/v1/subscriptions?gatewayPublicKey=${gateway}`
  while (url !== undefined) {
    const { body, headers } = await api.get(url)
    for (const { policyAddress, dueState } of body.data) states.set(policyAddress, dueState)
    url = /^<(.*)>; rel="next"$/.exec(headers.link ?? '')?.[1]
  }
  return states
}

const oneTime = (due: number, expiry: number | null) => ({
  OneTime: { amount: '1', due_date: String(due), expiry_date: expiry === null ? null : String(expiry) },
})
const weekly = (due: number) =>
  subscriptionOf({ payment_frequency: { Weekly: null }, next_payment_due: String(due) })
t.test('each moment of a policy has one name for all', async t => {
  const gateway = keyOf('gateway of one rule')
  await addWebhook(gateway)
  const cases: [name: string, type: Record<string, unknown>, state: string, sent: string | null][] = [
    ['far', weekly(NOW + 9 * DAY), 'upcoming', null],
    ['soon', weekly(NOW + DAY), 'upcoming', 'due_soon'],
    ['due', weekly(NOW - 3_600), 'due', null],
    ['late', weekly(NOW - DAY), 'overdue', 'overdue'],
    ['late at once', oneTime(0, null), 'overdue', 'overdue'],
    ['due tomorrow, expired a minute ago', oneTime(NOW + DAY, NOW - 60), 'expired', 'expired'],
    ['overdue, expired a minute ago', oneTime(NOW - DAY, NOW - 60), 'expired', 'expired'],
    ['due tomorrow, expires in an hour', oneTime(NOW + DAY, NOW + 3_600), 'upcoming', 'due_soon'],
    ['capped', payAsYouGoOf({ expiry_date: String(NOW - 60) }), 'expired', 'expired'],
    ['capped for ever', payAsYouGoOf({ expiry_date: '0' }), 'none', null],
    [
      'deadline',
      { UpTo: { max_amount: '1', valid_after: '0', deadline: String(NOW - 1) } },
      'expired',
      'expired',
    ],
    ['due in the year 292 billion', oneTime(Number.MAX_SAFE_INTEGER, null), 'none', null],
  ]
  const addresses = new Map<string, string>()
  for (const [name, type] of cases)
    addresses.set(
      name,
      (await chain.policy({ gateway, owner: keyOf(name), memo: 'one', type, at: NOW - 40 * DAY })).address,
    )
  const [sent, notices, states] = [
    await sentOf(gateway),
    await noticesOf([...addresses.values()]),
    await statesOf(gateway),
  ]
  for (const [name, , state, type] of cases) {
    const address = addresses.get(name)!
    t.equal(states.get(address), state, `${name}: REST`)
    const sentTo = sent.get(address) ?? 'nothing'
    t.match(sentTo, type ? new RegExp(`^subscription.${type} \\d+$`) : 'nothing', name)
    t.equal(notices.get(address), sent.get(address) ?? '', `${name}: sockets and webhooks`)
  }
})

t.test('a one-time policy that was paid and made active again is not overdue', async t => {
  const gateway = keyOf('gateway of a one-time policy')
  await addWebhook(gateway)
  const policy = await chain.policy({ gateway, type: oneTime(0, null), at: NOW - 9 * DAY })
  await chain.pay(policy, NOW - 8 * DAY)
  await chain.change(policy.address, 'Active', NOW - 7 * DAY, 'Completed')
  t.same([...(await sentOf(gateway))], [], 'webhooks')
  t.same([...(await noticesOf([policy.address]))], [[policy.address, '']], 'sockets')
  t.same([...(await statesOf(gateway))], [[policy.address, 'none']], 'REST')
})

t.test('a policy whose payment is stored while gateways are notified is not overdue', async t => {
  const gateway = keyOf('gateway of a race')
  await addWebhook(gateway)
  const open = (name: string) =>
    chain.policy({ gateway, owner: keyOf(name), memo: name, type: weekly(NOW - DAY), at: NOW - 9 * DAY })
  const [first, second] = [await open('one racer'), await open('another racer')].sort((a, b) =>
    a.address < b.address ? -1 : 1,
  )
  // The statement goes through the policies by address: it stops behind the first one until the other is paid.
  const holder = await pool.connect()
  await holder.query('select pg_advisory_lock(4711)')
  await pool.query(`
    create function stop_behind() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock_shared(4711); return new; end';
    create trigger stop_behind before insert on policy_notices for each row execute function stop_behind()`)
  const sending = sentOf(gateway)
  const isStopped = async () =>
    (await pool.query(`select 1 from pg_locks where locktype = 'advisory' and not granted and objid = 4711`))
      .rows.length > 0
  await waitFor(isStopped)
  let isStored = false
  const paying = chain.pay(second!, NOW - 60).then(() => (isStored = true))
  const isWaiting = async () =>
    (
      await pool.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`,
      )
    ).rows.length > 0
  await waitFor(async () => isStored || (await isWaiting()))
  const isLate = isStored
  await holder.query('select pg_advisory_unlock(4711)')
  holder.release()
  const sent = await sending
  await paying
  await pool.query('drop function stop_behind cascade')
  t.ok(sent.has(first!.address))
  t.notOk(isLate && sent.has(second!.address), 'notified after it was paid')
})

t.test('webhooks and sockets are notified in the very second of the rule', async t => {
  const gateway = keyOf('gateway of seconds')
  await addWebhook(gateway)
  const limits = { soonSeconds: 4, graceSeconds: 4, limit: 500 }
  const { address } = await chain.policy({
    gateway,
    owner: keyOf('seconds'),
    memo: 'seconds',
    type: weekly(NOW + 99 * DAY),
    at: NOW - 40 * DAY,
  })
  // Copies of it, that are due or end in each of the seconds around now.
  await pool.query(
    `insert into policies
     select (jsonb_populate_record(p, jsonb_build_object('address', kind || at, 'ends_at',
               case kind when 'ends' then n.now + at end, 'due_at', n.now + at + case kind when 'ends' then 2 else 0 end))).*
       from policies p, generate_series(-30, 60) at, unnest('{due,ends}'::text[]) kind,
            (select floor(extract(epoch from clock_timestamp())) as now) n
      where p.address = $1`,
    [address],
  )
  const { rows: policies } = await pool.query<{ address: string; due_at: string; ends_at: string | null }>(
    'select address, due_at, ends_at from policies where gateway = $1 and address <> $2',
    [gateway, address],
  )
  const datesOf = ({ due_at: due, ends_at: ends }: (typeof policies)[0]) => ({
    dueAt: BigInt(due),
    endsAt: ends === null ? null : BigInt(ends),
    live: true,
    status: 'active',
  })
  const readSecond = async () =>
    Number((await pool.query('select floor(extract(epoch from clock_timestamp())) as now')).rows[0].now)
  // The clock of the process is an hour off, and is not asked.
  const clock = Date.now
  t.teardown(() => void (Date.now = clock))
  Date.now = () => clock() + 3_600_000
  // A check that begins and ends in one second has judged by this second.
  for (;;) {
    await pool.query('delete from policy_notices')
    await pool.query('delete from deliveries')
    const now = await readSecond()
    await notifyDuePolicies(api.store, limits)
    const addresses = policies.map(policy => policy.address)
    const tracked = await readTrackedPolicies(api.store, { trackingIds: [], addresses, ...limits })
    if ((await readSecond()) !== now) continue
    const expected = new Map(
      policies.map(policy => {
        const notice = dueNoticeOf(datesOf(policy), now, limits)
        return [policy.address, notice === null ? '' : `${notice.type} ${notice.at}`]
      }),
    )
    const { rows } = await pool.query<{ policy: string; notice: string }>(
      `select policy, type || ' ' || at as notice from policy_notices where policy = any($1)`,
      [addresses],
    )
    const found = new Map(rows.map(({ policy, notice }) => [policy, notice]))
    t.ok(found.size > 30, `${found.size} dates are notified`)
    t.ok([...expected.values()].includes(''), 'and others are not')
    t.same(new Map(addresses.map(address => [address, found.get(address) ?? ''])), expected, 'webhooks')
    t.same(new Map(tracked.map(({ address, notices }) => [address, notices.join()])), expected, 'sockets')
    break
  }
})

t.test('a date whose policy lacks details is told when they come, if it still holds', async t => {
  const gateway = keyOf('gateway of details')
  await addWebhook(gateway, { tokenMint: keyOf('a mint') })
  // Another gateway's policy tells the addresses, before anything of these policies is stored.
  const open = async (name: string) => {
    const owner = keyOf(name)
    const policy = await chain.policy({
      gateway,
      owner,
      mint: keyOf('a mint'),
      memo: name,
      type: weekly(NOW - DAY),
      at: NOW - 9 * DAY,
    })
    await pool.query('update user_payments set token_mint = null where owner = $1', [owner])
    return policy
  }
  const [late, paid, other] = [
    await open('late details'),
    await open('paid meanwhile'),
    await open('of nobody'),
  ]
  await pool.query('delete from user_payments where owner = $1', [other.owner])
  t.same([...(await sentOf(gateway))], [])
  const waiting = async () =>
    (
      await pool.query<{ policy: string; waits_for: string }>(
        'select policy, waits_for from waiting_messages where event_id is null order by policy',
      )
    ).rows.map(({ policy, waits_for }) => `${waits_for} ${policy}`)
  t.same(await waiting(), [late, paid, other].map(({ address }) => `details ${address}`).sort())
  await chain.pay(paid, NOW - 60)
  for (const { owner } of [late, paid])
    await chain.say(
      'UserPaymentCreated',
      { owner, token_account: keyOf('account'), token_mint: keyOf('a mint') },
      NOW - 9 * DAY,
    )
  t.same([...(await sentOf(gateway))], [[late.address, `subscription.overdue ${NOW - DAY}`]])
  t.same(await waiting(), [`details ${other.address}`], 'what was paid meanwhile is not sent')
})

t.test('gateways are looked at in turn, and a policy that makes the task fail is quarantined', async t => {
  const gateways = [keyOf('a first gateway'), keyOf('a second gateway')]
  const late: string[] = []
  for (const gateway of gateways) {
    await addWebhook(gateway)
    for (const name of ['one', 'two', 'three']) {
      const owner = keyOf(`${name} of ${gateway}`)
      late.push(
        (await chain.policy({ gateway, owner, memo: 'm', type: weekly(NOW - DAY), at: NOW - 9 * DAY }))
          .address,
      )
    }
  }
  const bad = late[1]!
  await pool.query(`alter table policy_notices add constraint planted check (policy <> '${bad}')`)
  const sent = async () => {
    const found: string[] = []
    for (const gateway of gateways) found.push(...(await sentOf(gateway)).keys())
    return found.sort()
  }
  t.same(await sent(), late.filter(address => address !== bad).sort(), 'everybody else is notified')
  t.match(await listQuarantined(api.store, 9), [{ task: 'due-dates', key: bad, error: /planted/ }])
  await pool.query('alter table policy_notices drop constraint planted')
  const sentNow = await sent()
  t.same(sentNow, late.filter(address => address !== bad).sort(), 'left out until an operator has looked')
  t.ok(await takeBack(api.store, { task: 'due-dates', key: bad }))
  t.same(await sent(), [...late].sort())
})
