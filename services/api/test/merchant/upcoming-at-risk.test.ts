// What is at risk of a gateway's due payments: Postgres judges and adds up, and only the payments that an answer shows are read one by
// one.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { derivePaymentsDelegate } from '@payment-tracking/domain'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { findDueRisks } from '@payment-tracking/store/core'
import fc from 'fast-check'
import { openTestStore } from '@payment-tracking/testkit'
import t from 'tap'
import { insertAccounts, insertPolicies, type MadePolicy } from '../funds/made-policies.js'
import { readUpcoming } from '../../src/merchant/read-upcoming.js'
import { openChain } from '../open-chain.js'

const DAY = 86_400
const NOW = Math.floor(Date.now() / 1_000)
const SPAN = { from: BigInt(NOW - DAY), to: BigInt(NOW + 3 * DAY) }
const clock = { nowSeconds: NOW, graceSeconds: 7_200 }
const DELEGATE = derivePaymentsDelegate(DEFAULT_PROGRAM_ID)
const STATEMENTS = 'payment-tracking:store:statement'

const { store, pool } = await openTestStore(t)

const insert = (policies: readonly MadePolicy[]) => insertPolicies(pool, policies)
const see = (accounts: Parameters<typeof insertAccounts>[1]) => insertAccounts(pool, accounts)

const policy = fc.record({
  payer: fc.nat(5),
  recipient: fc.constantFrom('shop', 'nowhere'),
  mint: fc.option(fc.constantFrom('usdc', 'sol')),
  amount: fc.integer({ min: 1, max: 20 }),
  once: fc.boolean(),
  dueAt: fc.integer({ min: NOW - 2 * DAY, max: NOW + 5 * DAY }),
  status: fc.constantFrom('active', 'active', 'active', 'paused'),
})
const account = fc.record({
  age: fc.constantFrom(1, 1, 1, 5_000),
  is_there: fc.constantFrom(true, true, true, false),
  mint: fc.constantFrom('usdc', 'usdc', 'sol'),
  balance: fc.option(fc.nat(40), { freq: 8 }),
  delegate: fc.constantFrom(DELEGATE, DELEGATE, DELEGATE, 'another', null),
  allowance: fc.option(fc.nat(40), { freq: 8 }),
  frozen: fc.constantFrom(false, false, false, true),
})

t.test('the sums at risk are those of the risks that are read one by one', async t => {
  let gateways = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(policy, { minLength: 1, maxLength: 25 }),
      fc.array(account, { minLength: 6, maxLength: 6 }),
      fc.boolean(),
      async (policies, accounts, recipientSeen) => {
        gateways += 1
        const gateway = `g${gateways}`
        await insert(policies.map(each => ({ ...each, gateway, recipient: `${gateway} ${each.recipient}` })))
        await see([
          ...accounts.map((each, n) => ({ ...each, address: `${gateway} a ${n}`, owner: `w ${n}` })),
          ...(recipientSeen
            ? ['usdc', 'sol'].map(mint => ({
                address: `${gateway} r ${mint}`,
                owner: `${gateway} nowhere`,
                mint,
                is_there: false,
                others: 'none',
              }))
            : []),
        ])
        const read = (options: object, page = { limit: 100, offset: 0 }) =>
          readUpcoming(store, gateway, { ...SPAN, ...page }, { clock, ...options })
        const [all, risky] = await Promise.all([read({}), read({ atRisk: true })])
        const risks = await findDueRisks(
          store,
          all.items.map(({ policyAddress }) => policyAddress),
          DEFAULT_PROGRAM_ID,
        )
        // Of each policy the next payment alone can be at risk, and within this span it is the only one.
        const expected = all.items.filter(each => risks.get(each.policyAddress)?.state === 'at_risk')
        const dated = (items: typeof all.items) => items.map(each => [each.policyAddress, Number(each.dueAt)])
        const same = (found: unknown, wanted: unknown, what: string) => {
          if (JSON.stringify(found) !== JSON.stringify(wanted))
            throw new Error(`${what}: ${JSON.stringify(found)} and not ${JSON.stringify(wanted)}`)
        }
        same(dated(risky.items), dated(expected), 'the list')
        same(
          dated((await read({ atRisk: true }, { limit: 2, offset: 1 })).items),
          dated(expected.slice(1, 3)),
          'a page',
        )
        for (const { tokenMint, atRiskCount, atRiskAmount } of all.byToken) {
          const ofToken = expected.filter(each => each.tokenMint === tokenMint)
          const sum = ofToken.reduce((total, { amount }) => total + BigInt(amount), 0n)
          same([Number(atRiskCount), atRiskAmount], [ofToken.length, String(sum)], `the sums of ${tokenMint}`)
        }
      },
    ),
    { numRuns: 60 },
  )
  t.ok(gateways >= 60)
})

t.test('a paused program puts the next payment of a policy at risk, and no later one', async t => {
  const [gateway, chain] = ['paused', openChain(store)]
  await insert([{ gateway, payer: 0, dueAt: NOW + DAY }])
  await see([{ address: `${gateway} a 0`, owner: 'w 0' }])
  const read = async (atRisk = false) => {
    const span = { from: BigInt(NOW), to: BigInt(NOW + 40 * DAY), limit: 10, offset: 0 }
    const { items, byToken } = await readUpcoming(store, gateway, span, { clock, atRisk })
    const { atRiskCount, atRiskAmount } = byToken[0]!
    return [items.map(({ dueRisk }) => dueRisk?.state), Number(atRiskCount), atRiskAmount]
  }
  const pause = (is: boolean) => chain.pause(is, NOW)
  t.same(await read(), [['ok', 'unknown'], 0, '0'])
  await pause(true)
  t.same(await read(), [['at_risk', 'unknown'], 1, '5'])
  t.same(await read(true), [['at_risk'], 1, '5'])
  await pause(false)
  t.same(await read(true), [[], 0, '0'])
})

t.test('of 10,000 due payments, only those of the page are read one by one', async t => {
  const POLICIES = 10_000
  await insert(
    Array.from({ length: POLICIES }, (_, n) => ({
      gateway: 'many',
      payer: n,
      recipient: `r ${n}`,
      mint: null,
      dueAt: NOW + n,
    })),
  )
  await see(
    Array.from({ length: POLICIES }, (_, n) => ({
      address: `many a ${n}`,
      owner: `w ${n}`,
      balance: n % 2 ? 5 : 1,
    })),
  )
  const asked: number[] = []
  const note = (statement: unknown) => {
    const { text, values } = statement as { text: string; values: unknown[] }
    if (text.includes('token_accounts')) asked.push(values.flat().length)
  }
  subscribe(STATEMENTS, note)
  const upcoming = await readUpcoming(store, 'many', { ...SPAN, limit: 10, offset: 20 }, { clock })
  unsubscribe(STATEMENTS, note)
  t.match(upcoming.byToken, [{ atRiskCount: 5_000n, atRiskAmount: '25000' }])
  t.equal(upcoming.items.length, 10)
  t.equal(asked.length, 2, 'the sums are one statement, the page is another')
  t.ok(Math.max(...asked) < 30, `their values: ${asked.join(', ')}`)
})
