// What keeps a due payment from executing: every set of causes, and what nobody saw lately.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { deriveGateway, RISK_CAUSES, SEEN_SECONDS, type RiskCause } from '@payment-tracking/domain'
import { findDueRisks } from '@payment-tracking/store/core'
import { openTestStore } from '@payment-tracking/testkit'
import t from 'tap'
import { keyOf, openChain } from '../open-chain.js'
import { insertAccounts, insertPolicies } from './made-policies.js'

const DAY = 86_400
const NOW = Math.floor(Date.now() / 1_000)

const { store, pool } = await openTestStore(t)
const see = (accounts: Parameters<typeof insertAccounts>[1]) => insertAccounts(pool, accounts)

/** What makes each cause of a policy's own, whatever else is made. */
const OWN_CAUSES: Partial<Record<RiskCause, object>> = {
  account_missing: { is_there: false },
  account_frozen: { frozen: true },
  delegate_revoked: { delegate: 'another' },
  insufficient_balance: { balance: 4 },
  insufficient_allowance: { allowance: 4 },
}
t.test('of every set of causes, the first in the order of the table is reported', async t => {
  t.same(RISK_CAUSES, [
    'program_paused',
    'account_missing',
    'account_frozen',
    'delegate_revoked',
    'insufficient_balance',
    'insufficient_allowance',
    'recipient_account_missing',
    'recipient_account_frozen',
    'fee_account_missing',
  ])
  const chain = openChain(store)
  const causes = [...(Object.keys(OWN_CAUSES) as RiskCause[]), 'recipient_account_missing' as const]
  const sets = Array.from({ length: 2 ** causes.length }, (_, set) =>
    causes.filter((_, at) => (set >> at) % 2 === 1),
  )
  const feesOf = (name: string) => keyOf(`fees ${name}`)
  const asAccount = (owner: string, changes: object) => ({
    address: `account of ${owner}`,
    owner,
    ...changes,
  })
  // One gateway's fees go to a frozen account.
  const gateways: string[] = []
  for (const name of ['well', 'frozen']) {
    const authority = keyOf(`authority ${name}`)
    const data = { authority, fee_recipient: feesOf(name), gateway_fee_bps: 1, name: [], url: [] }
    await chain.say(
      'PaymentGatewayCreated',
      { ...data, name: Array(32).fill(1), url: Array(64).fill(1) },
      NOW,
    )
    gateways.push(deriveGateway(DEFAULT_PROGRAM_ID, authority))
    await see([asAccount(feesOf(name), { frozen: name === 'frozen' })])
  }
  await see([asAccount('there', {}), asAccount('lacking', { is_there: false, others: 'none' })])
  for (const gateway of gateways) {
    await insertPolicies(
      pool,
      sets.map((set, payer) => ({
        gateway,
        payer,
        recipient: set.includes('recipient_account_missing') ? 'lacking' : 'there',
        dueAt: NOW + DAY,
      })),
    )
    await see(
      sets.map((set, payer) => ({
        address: `${gateway} a ${payer}`,
        owner: `w ${payer}`,
        ...Object.assign({}, ...set.map(cause => OWN_CAUSES[cause])),
      })),
    )
  }
  const counts = new Map<RiskCause | null, number>()
  for (const ofProgram of [
    [],
    ['fee_account_missing'],
    ['program_paused', 'fee_account_missing'],
    ['program_paused'],
  ]) {
    const isPaused = ofProgram.includes('program_paused')
    const protocolFees = ofProgram.includes('fee_account_missing') ? 'lacking fees' : 'good fees'
    await chain.pause(isPaused, NOW)
    await chain.say('ProgramConfigCreated', { fee_recipient: feesOf(protocolFees) }, NOW)
    await pool.query(`delete from token_accounts where owner = $1`, [feesOf(protocolFees)])
    await see([
      asAccount(
        feesOf(protocolFees),
        protocolFees === 'good fees' ? {} : { is_there: false, others: 'none' },
      ),
    ])
    for (const [nth, gateway] of gateways.entries()) {
      const risks = await findDueRisks(
        store,
        sets.map((_, at) => `${gateway} ${at + 1}`),
        DEFAULT_PROGRAM_ID,
      )
      for (const [at, set] of sets.entries()) {
        const made = [...set, ...ofProgram, ...(nth === 1 ? ['recipient_account_frozen'] : [])]
        const { state, cause } = risks.get(`${gateway} ${at + 1}`)!
        t.same(
          [state, cause],
          made.length === 0 ? ['ok', null] : ['at_risk', RISK_CAUSES.find(each => made.includes(each))],
          made.join(', '),
        )
        counts.set(cause, (counts.get(cause) ?? 0) + 1)
      }
    }
  }
  t.equal(counts.size, RISK_CAUSES.length + 1)
  await chain.pause(false, NOW)
})

t.test('what was seen too long ago, or never, is no alarm', async t => {
  const gateway = 'seen long ago'
  const made = Object.values(OWN_CAUSES)
  await insertPolicies(
    pool,
    Array.from({ length: 2 * made.length + 3 }, (_, payer) => ({
      gateway,
      payer,
      dueAt: NOW + DAY,
    })),
  )
  const account = (payer: number, changes: object) => ({
    address: `${gateway} a ${payer}`,
    owner: `w ${payer}`,
    ...changes,
  })
  await see([
    ...made.map((changes, at) => account(at, { ...changes, age: SEEN_SECONDS - 60 })),
    ...made.map((changes, at) => account(made.length + at, { ...changes, age: SEEN_SECONDS + 1 })),
    account(2 * made.length, { age: SEEN_SECONDS + 1 }),
    account(2 * made.length + 1, { age: 1, balance: null }),
  ])
  const all = Array.from({ length: 2 * made.length + 3 }, (_, payer) => `${gateway} ${payer + 1}`)
  const risks = await findDueRisks(store, all, DEFAULT_PROGRAM_ID)
  for (const [at, address] of all.entries())
    t.equal(risks.get(address)!.state, at < made.length ? 'at_risk' : 'unknown', `${at}`)
  t.match(risks.get(all[2 * made.length]!), { cause: null, slot: 1n, balance: 5n, dueTogether: 5n })
})
