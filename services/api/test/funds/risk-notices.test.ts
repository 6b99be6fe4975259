// Webhooks are notified of a risk once for each due date and cause, and once that it is over.
import { listQuarantined, takeBack } from '@payment-tracking/store/core'
import { notifyDuePolicies, notifyRisks } from '@payment-tracking/store/messages'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { insertWebhook, openTestStore } from '@payment-tracking/testkit'
import t from 'tap'
import { keyOf, subscriptionOf, openChain, type StoredPolicy } from '../open-chain.js'
import { accountOf, nameAccount, see } from './see-accounts.js'

const DAY = 86_400
const NOW = Math.floor(Date.now() / 1000)
const BOTH = ['subscription.at_risk', 'subscription.at_risk_cleared']

const { store, pool } = await openTestStore(t)
const chain = openChain(store)
const addWebhook = (gateway: string, types = BOTH) => insertWebhook(pool, gateway, { types })
const open = async (name: string, dueIn = DAY, amount = '6') => {
  const type = subscriptionOf({ amount, next_payment_due: String(NOW + dueIn) })
  const policy = await chain.policy({
    gateway: keyOf(`gateway of ${name}`),
    owner: keyOf(name),
    type,
    at: NOW - 40 * DAY,
  })
  await nameAccount(pool, name)
  return policy
}
const seen = (name: string, changes = {}, storedAt?: Date) =>
  see(store, [accountOf(keyOf(`account of ${name}`), changes)], storedAt)
const round = (limit = 500) => notifyRisks(store, { programId: DEFAULT_PROGRAM_ID, limit })
const sentOf = async ({ gateway }: Pick<StoredPolicy, 'gateway'>) => {
  const { rows } = await pool.query<{ body: string; id: string }>(
    `select m.body, d.message_id as id from deliveries d join messages m on m.id = d.message join webhooks w on w.id = d.webhook_id where w.gateway = $1 order by d.id`,
    [gateway],
  )
  return rows.map(({ body, id }) => ({ id, ...JSON.parse(body) }))
}
/** `at_risk insufficient_balance`, in the order in which it was sent. */
const linesOf = async (policy: Pick<StoredPolicy, 'gateway'>) =>
  (await sentOf(policy)).map(
    ({ type, data }) => `${type.replace('subscription.', '')} ${data.clearedCause ?? data.dueRisk.cause}`,
  )

t.test('a risk is notified once for its due date and cause, and cleared once', async t => {
  const policy = await open('payer')
  await addWebhook(policy.gateway)
  await round()
  t.same(await linesOf(policy), [], 'what nobody saw is no risk')
  await seen('payer', { balance: '5' })
  await Promise.all([round(), round(1), round()])
  await round()
  t.same(await linesOf(policy), ['at_risk insufficient_balance'], 'once, whoever looks')
  t.match((await sentOf(policy))[0], {
    type: 'subscription.at_risk',
    data: {
      paymentPolicy: policy.address,
      trackingId: policy.memo,
      dueAt: NOW + DAY,
      eventId: null,
      dueRisk: { state: 'at_risk', cause: 'insufficient_balance', balance: 5, dueTogether: 6 },
    },
  })
  await seen('payer', { delegate: null, balance: '5' })
  await round()
  t.same(await linesOf(policy), ['at_risk insufficient_balance', 'at_risk delegate_revoked'])
  await seen('payer', { balance: '5' })
  await round()
  t.equal((await linesOf(policy)).length, 2, 'neither again nor over')
  await seen('payer')
  await Promise.all([round(), round()])
  await round()
  t.same((await linesOf(policy)).slice(2).sort(), [
    'at_risk_cleared delegate_revoked',
    'at_risk_cleared insufficient_balance',
  ])
  t.match((await sentOf(policy))[3]!.data, { dueAt: NOW + DAY, dueRisk: { state: 'ok', cause: null } })
  await seen('payer', { balance: '0' })
  await round()
  t.equal((await linesOf(policy)).length, 4, 'at most once for a due date and cause')
  const ids = (await sentOf(policy)).map(({ id }) => id)
  t.equal(new Set(ids).size, ids.length)
})

t.test('the next due date is notified anew; a payment ends the risk of its own', async t => {
  const policy = await open('daily payer', -DAY)
  await addWebhook(policy.gateway)
  await seen('daily payer', { balance: '5' })
  await round()
  const signature = await chain.pay(policy, NOW - 60)
  await round()
  t.same(await linesOf(policy), ['at_risk insufficient_balance', 'at_risk_cleared insufficient_balance'])
  t.match((await sentOf(policy))[1]!.data, { dueAt: NOW - DAY, dueRisk: { state: 'unknown' } })
  await chain.retract(signature)
  await seen('daily payer', { balance: '5' })
  await round()
  t.equal((await linesOf(policy)).length, 2, 'the date was notified')
})

t.test('nodes that are away end nothing, and begin nothing', async t => {
  const policy = await open('away')
  await addWebhook(policy.gateway)
  const old = new Date(Date.now() - 901_000)
  await seen('away', { balance: '5' }, old)
  await round()
  t.same(await linesOf(policy), [])
  await seen('away', { balance: '5' })
  await round()
  await pool.query(`update token_accounts set checked_at = $1 where address = $2`, [
    old,
    keyOf('account of away'),
  ])
  await round()
  t.same(await linesOf(policy), ['at_risk insufficient_balance'])
  await seen('away')
  await round()
  t.same(await linesOf(policy), ['at_risk insufficient_balance', 'at_risk_cleared insufficient_balance'])
})

t.test('a policy that is paused or deleted is at risk no more; its next life is another', async t => {
  const paused = await open('paused')
  const deleted = await open('deleted')
  for (const [name, { gateway }] of Object.entries({ paused, deleted })) {
    await addWebhook(gateway)
    await seen(name, { balance: '0' })
  }
  await round()
  await chain.change(paused.address, 'Paused', NOW)
  await chain.remove(deleted.address, deleted.owner, NOW)
  await round()
  for (const policy of [paused, deleted])
    t.same(await linesOf(policy), ['at_risk insufficient_balance', 'at_risk_cleared insufficient_balance'])
  t.equal((await sentOf(paused))[1]!.data.dueRisk, null)
})

const createdOf = async ({ address }: StoredPolicy) =>
  (
    await pool.query<{ signature: string }>(
      `select signature from events where name = 'PaymentPolicyCreated' and payment_policy = $1`,
      [address],
    )
  ).rows[0]!.signature
const countOpen = async ({ address }: StoredPolicy) =>
  (await pool.query('select from risk_notices where policy = $1 and cleared_at is null', [address])).rowCount

t.test('the risk of a policy that the chain took back is over, and that is told', async t => {
  const policy = await open('gone')
  await addWebhook(policy.gateway)
  await seen('gone', { balance: '0' })
  await round()
  await chain.retract(await createdOf(policy))
  t.equal((await pool.query('select from policies where address = $1', [policy.address])).rowCount, 0)
  await Promise.all([round(), round()])
  await round()
  t.same(await linesOf(policy), ['at_risk insufficient_balance', 'at_risk_cleared insufficient_balance'])
  t.match((await sentOf(policy))[1]!.data, {
    trackingId: policy.memo,
    recipient: policy.recipient,
    payer: policy.owner,
    tokenMint: policy.mint,
    status: null,
    dueAt: NOW + DAY,
    dueRisk: null,
  })
  t.equal(await countOpen(policy), 0)
})

t.test('a Created event that moves in its block is the same incarnation: nothing is told again', async t => {
  const policy = await open('moved')
  await addWebhook(policy.gateway)
  await seen('moved', { balance: '0' })
  await round()
  await chain.repeat({ transaction_index: 7 }, await createdOf(policy))
  await round()
  t.same(await linesOf(policy), ['at_risk insufficient_balance'])
  t.equal(await countOpen(policy), 1)
  await seen('moved')
  await round()
  t.same(await linesOf(policy), ['at_risk insufficient_balance', 'at_risk_cleared insufficient_balance'])
})

t.test('who asks after a risk was over is notified when it comes back, once', async t => {
  const policy = await open('comes back')
  const flip = async () => {
    for (const balance of ['0', '6']) {
      await seen('comes back', { balance })
      await round()
    }
  }
  await flip()
  await addWebhook(policy.gateway)
  await round()
  t.same(await linesOf(policy), [], 'what was over')
  for (const _ of [1, 2, 3, 4]) await flip()
  t.same(await linesOf(policy), ['at_risk insufficient_balance', 'at_risk_cleared insufficient_balance'])
  const { rows } = await pool.query(
    'select notified, cleared_at is not null as over from risk_notices where policy = $1 order by began_at',
    [policy.address],
  )
  t.same(
    rows,
    [false, true, false].map(notified => ({ notified, over: true })),
    'the first period, the notified one and the newest: a payer can make any number',
  )
})

t.test('a webhook that does not ask is not notified, and due notices carry the risk', async t => {
  const policy = await open('late', -DAY)
  const soon = await open('soon')
  await addWebhook(policy.gateway, ['subscription.overdue', 'subscription.due_soon'])
  await addWebhook(soon.gateway, ['subscription.overdue', 'subscription.due_soon'])
  await seen('late', { balance: '0' })
  await round()
  t.same(await sentOf(policy), [])
  const noted = async () =>
    (await pool.query('select notified from risk_notices where policy = $1', [policy.address])).rows
  t.same(await noted(), [{ notified: false }], 'its customer is at risk all the same')
  await notifyDuePolicies(store, { soonSeconds: 3 * DAY, graceSeconds: 7_200, limit: 500 })
  t.match(await sentOf(policy), [
    {
      type: 'subscription.overdue',
      data: { dueRisk: { state: 'at_risk', cause: 'insufficient_balance', balance: 0 } },
    },
  ])
  t.match(await sentOf(soon), [{ type: 'subscription.due_soon', data: { dueRisk: { state: 'unknown' } } }])
  await addWebhook(policy.gateway)
  await round()
  await round()
  t.equal((await sentOf(policy)).length, 2, 'who asks later is notified, once')
  t.same(await noted(), [{ notified: true }])
})

t.test('a row that makes the task fail is quarantined, and all others are notified', async t => {
  const names = ['one', 'two', 'three']
  const policies: StoredPolicy[] = []
  for (const name of names) {
    const policy = await open(`${name} of three`)
    await addWebhook(policy.gateway)
    await seen(`${name} of three`, { balance: '0' })
    policies.push(policy)
  }
  const bad = policies[1]!
  await pool.query(`alter table risk_notices add constraint planted check (policy <> '${bad.address}')`)
  await round()
  const notified = async () => (await Promise.all(policies.map(linesOf))).map(lines => lines.length)
  t.same(await notified(), [1, 0, 1])
  t.match(await listQuarantined(store, 9), [{ task: 'payment-risks', key: bad.address, error: /planted/ }])
  await pool.query('alter table risk_notices drop constraint planted')
  await takeBack(store, { task: 'payment-risks', key: bad.address })
  await round()
  t.same(await notified(), [1, 1, 1])
})

t.test('a payment that is stored while risks are notified is not', async t => {
  const policy = await open('racer', -DAY)
  await addWebhook(policy.gateway)
  await seen('racer', { balance: '0' })
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query('select 1 from policies where address = $1 for update', [policy.address])
  await round()
  t.same(await linesOf(policy), [], 'left to the next round')
  await holder.query('rollback')
  holder.release()
  await chain.pay(policy, NOW - 60)
  await round()
  t.same(await linesOf(policy), [])
})
