// One rule of risk: the record, the payments due, the list of customers, the customer, the time line and the webhooks agree after
// every step, whatever happens to accounts and policies.
import { SENT } from '@payment-tracking/testkit'
import { createWebhook } from '@payment-tracking/store/admin'
import { notifyRisks } from '@payment-tracking/store/messages'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { deriveTokenAccount } from '@payment-tracking/domain'
import fc from 'fast-check'
import t from 'tap'
import { makeSigningKeys } from '../gateway-auth/make-signing-keys.js'
import { signInDirectly } from '../merchant/sign-in-directly.js'
import { openApi } from '../open-api.js'
import { keyOf, openChain, subscriptionOf, type StoredPolicy } from '../open-chain.js'
import { accountOf, nameAccount, see } from './see-accounts.js'

const DAY = 86_400
const NOW = Math.floor(Date.now() / 1000)
const TOKENS = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const keys = makeSigningKeys()
const api = await openApi(t, { RATE_LIMIT_MAX: '1000000', JWT_PRIVATE_KEYS: keys }, () => Date.now())
const { pool } = api.database
const chain = openChain(api.store)
const shop = await signInDirectly(chain, keys, 'shop of one risk')
const other = await signInDirectly(chain, keys, 'shop beside it')
await createWebhook(api.store, {
  gateway: shop.gateway,
  endpointUrl: 'https://shop.example/',
  active: true,
  eventTypes: ['subscription.at_risk', 'subscription.at_risk_cleared'],
})

const mint = keyOf('mint of one risk')
const recipient = keyOf('recipient of one risk')
const open = async (name: string, dueIn: number, gateway = shop.gateway, amount = '6') => {
  const type = subscriptionOf({ amount, next_payment_due: String(NOW + dueIn) })
  const owner = keyOf(name)
  const policy = await chain.policy({ owner, mint, recipient, gateway, type, at: NOW - 40 * DAY })
  await nameAccount(pool, name)
  return policy
}
const round = () => notifyRisks(api.store, { programId: DEFAULT_PROGRAM_ID, limit: 500 })
const merchant = async (path: string, of = shop) =>
  (await api.get(`/v1/gateway/${of.gateway}/merchant/${path}`, { headers: of.headers })).body

interface Risk {
  state: string
  cause: string | null
}
interface Entry {
  type: string
  at: number
  cause: string | null
  policyAddress: string
  deliveries: { type: string }[]
}

const recordOf = async ({ owner, address }: StoredPolicy) => {
  const { body } = await api.get(`/v1/subscriptions?userPublicKey=${owner}`)
  return body.data.find((each: { policyAddress: string }) => each.policyAddress === address) as {
    dueRisk: Risk | null
    dueState: string
  }
}
const customerOf = async (owner: string) =>
  (await merchant(`subscribers/${owner}?limit=200`)) as { state: string; items: Entry[] }
const customersAtRisk = async () =>
  (await merchant('subscribers?state=at_risk')).items.map(
    (each: { wallet: string }) => each.wallet,
  ) as string[]
const upcoming = async (more = '') => {
  const from = new Date((NOW - 9 * DAY) * 1000).toISOString()
  return merchant(`upcoming?startTime=${from}&limit=1000${more}`)
}
/** What webhooks were sent: `at_risk insufficient_balance <address>`. */
const sent = async () => {
  const { rows } = await pool.query<{ body: string }>(`select body from ${SENT} d order by id`)
  return rows.map(({ body }) => {
    const { type, data } = JSON.parse(body)
    return `${type.replace('subscription.', '')} ${data.clearedCause ?? data.dueRisk.cause} ${data.paymentPolicy} ${data.dueAt}`
  })
}

/** Everything that says whether payments are at risk says the same. */
async function checkThatAllAgree(policies: readonly StoredPolicy[], during: string): Promise<void> {
  const fail = (what: string, found: unknown, wanted: unknown) => {
    const [is, must] = [JSON.stringify(found), JSON.stringify(wanted)]
    if (is !== must) throw new Error(`after ${during}, ${what}: ${is} and not ${must}`)
  }
  const [all, risky, listed, told] = await Promise.all([
    upcoming(),
    upcoming('&atRisk=true'),
    customersAtRisk(),
    sent(),
  ])
  const records = new Map<string, Awaited<ReturnType<typeof recordOf>>>()
  for (const policy of policies) records.set(policy.address, await recordOf(policy))
  const isAtRisk = ({ address }: StoredPolicy) => records.get(address)!.dueRisk?.state === 'at_risk'
  type Item = { policyAddress: string; dueAt: number; dueRisk: Risk }
  const nextOf = new Map<string, Item>()
  for (const item of all.items as Item[])
    if (!nextOf.has(item.policyAddress)) nextOf.set(item.policyAddress, item)
  for (const { address } of policies)
    if (nextOf.has(address))
      fail('upcoming and the record', nextOf.get(address)!.dueRisk, records.get(address)!.dueRisk)
  const addresses = (of: readonly { policyAddress: string }[]) => of.map(each => each.policyAddress).sort()
  const wanted = policies.filter(isAtRisk).map(({ address }) => address)
  fail('what upcoming lists as at risk', addresses(risky.items), [...wanted].sort())
  fail(
    'the sum at risk',
    all.byToken.reduce((sum: number, each: { atRiskCount: number }) => sum + each.atRiskCount, 0),
    wanted.length,
  )
  const customers = [...new Set(policies.map(({ owner }) => owner))]
  const atRisk: string[] = []
  for (const owner of customers) {
    const own = policies.filter(policy => policy.owner === owner)
    const states = own.map(({ address }) => records.get(address)!.dueState)
    const { state, items } = await customerOf(owner)
    const isActive = states.some(each => each !== 'none')
    fail(
      'the customer',
      state,
      states.includes('overdue')
        ? 'overdue'
        : own.some(isAtRisk)
          ? 'at_risk'
          : isActive
            ? 'active'
            : items.some(({ type }) => type === 'paid')
              ? 'ended'
              : 'never_paid',
    )
    if (state === 'at_risk') atRisk.push(owner)
    for (const policy of own) {
      const risk = records.get(policy.address)!.dueRisk
      const entries = items.filter(
        ({ policyAddress, type }) => policyAddress === policy.address && type.startsWith('at_risk'),
      )
      const newestOf = (cause: string | null) => entries.find(each => each.cause === cause)?.type
      if (risk?.state === 'at_risk') fail('the time line', newestOf(risk.cause), 'at_risk')
      else if (risk?.state !== 'unknown')
        for (const { cause } of entries) fail('the time line', newestOf(cause), 'at_risk_cleared')
    }
  }
  fail('the customers at risk', [...listed].sort(), atRisk.sort())
  fail('what was sent twice', told.length, new Set(told).size)
  for (const line of told)
    if (line.startsWith('at_risk_cleared'))
      fail(line, told.includes(line.replace('at_risk_cleared', 'at_risk')), true)
}

t.test("the time line has no risk of another gateway's incarnation", async t => {
  const policy = await open('who moved', DAY, other.gateway)
  await see(api.store, [accountOf(keyOf('account of who moved'), { mint, balance: '5' })])
  await round()
  await chain.remove(policy.address, policy.owner, NOW - 60)
  const id = Number(
    (
      await pool.query<{ id: string }>('select policy_id as id from policies where address = $1', [
        policy.address,
      ])
    ).rows[0]!.id,
  )
  const type = subscriptionOf({ amount: '6', next_payment_due: String(NOW + 20 * DAY) })
  const moved = await chain.policy({ ...policy, id, gateway: shop.gateway, type, at: NOW - 30 })
  t.equal(moved.address, policy.address)
  await round()
  const types = (await customerOf(policy.owner)).items.map(entry => entry.type)
  t.same(types, ['created'])
  const { items } = await merchant(`subscribers/${policy.owner}`, other)
  t.same(items.map((entry: Entry) => entry.type).sort(), ['at_risk', 'at_risk_cleared', 'created', 'deleted'])
  await chain.remove(policy.address, policy.owner, NOW)
})

const names = ['a', 'b', 'c'] as const
const accountStep = fc.record({
  kind: fc.constant('account' as const),
  of: fc.constantFrom(...names),
  changes: fc.oneof(
    fc.record({ balance: fc.constantFrom('0', '6', '11', '12', '100') }),
    fc.record({ allowance: fc.constantFrom('5', '6', '11', '12') }),
    fc.constant({ frozen: true }),
    fc.constant({ delegate: null }),
    fc.constant({ exists: false }),
    fc.constant({}),
    fc.constant({}),
  ),
})
const recipientStep = fc.record({
  kind: fc.constant('recipient' as const),
  changes: fc.constantFrom(
    {},
    {},
    { frozen: true },
    { exists: false },
    { exists: false, others: 'none' },
    { exists: false, others: 'frozen' },
    { exists: false, others: 'usable' },
  ),
})
const step = fc.oneof(
  { weight: 8, arbitrary: accountStep },
  { weight: 3, arbitrary: recipientStep },
  fc.record({ kind: fc.constant('pause' as const), is: fc.boolean() }),
  fc.record({ kind: fc.constant('forget' as const), of: fc.constantFrom(...names) }),
  fc.record({
    kind: fc.constant('status' as const),
    nth: fc.nat(4),
    to: fc.constantFrom('Paused', 'Active'),
  }),
  fc.record({ kind: fc.constant('pay' as const), nth: fc.nat(4) }),
)

t.test('record, payments due, customers, time line and messages agree after every step', async t => {
  // Two due policies draw on one account; one is overdue already.
  const policies = [
    await open('a', DAY),
    await open('a', 2 * DAY),
    await open('b', 3_600),
    await open('c', -3_600),
    await open('c', -3 * DAY),
  ]
  const recipientAccount = deriveTokenAccount(recipient, TOKENS, mint)
  const seeAccount = (of: string, changes: object) =>
    see(api.store, [accountOf(keyOf(`account of ${of}`), { mint, ...changes })])
  const seen: string[] = []
  await checkThatAllAgree(policies, 'nothing')
  const steps = fc.sample(step, { numRuns: Number(process.env.RISK_STEPS ?? 40), seed: 20261128 })
  for (const [at, each] of steps.entries()) {
    const during = `step ${at}, ${JSON.stringify(each)}`
    if (each.kind === 'account') await seeAccount(each.of, each.changes)
    else if (each.kind === 'recipient')
      await see(api.store, [accountOf(recipientAccount, { owner: recipient, mint, ...each.changes })])
    else if (each.kind === 'pause') await chain.pause(each.is, NOW + at)
    else if (each.kind === 'forget')
      await pool.query(
        `update token_accounts set checked_at = now() - interval '16 minutes' where address = $1`,
        [keyOf(`account of ${each.of}`)],
      )
    else if (each.kind === 'status') await chain.change(policies[each.nth]!.address, each.to, NOW + at)
    else await chain.pay(policies[each.nth]!, NOW - 3_000 + at)
    await round()
    await checkThatAllAgree(policies, during)
    for (const policy of policies) seen.push((await recordOf(policy)).dueRisk?.state ?? 'null')
  }
  for (const state of ['ok', 'at_risk', 'unknown', 'null']) t.ok(seen.includes(state), state)
})
