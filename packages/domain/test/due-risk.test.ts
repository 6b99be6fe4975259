import t from 'tap'
import {
  derivePaymentsDelegate,
  deriveTokenAccount,
  dueRiskOf,
  renderDueRisk,
  RISK_CAUSES,
  SEEN_SECONDS,
  UNWATCHED,
  type DueFacts,
  type RiskCause,
  type SeenAccount,
} from '../src/index.js'

const ACCOUNT: SeenAccount = {
  slot: 77n,
  checkedAt: new Date('2026-11-27T10:00:00.000Z'),
  age: 60,
  exists: true,
  mint: 'mint',
  balance: 10n,
  delegate: 'payments',
  allowance: 10n,
  frozen: false,
}
const GOOD: DueFacts = {
  amount: 6n,
  mint: 'mint',
  delegate: 'payments',
  dueTogether: 6n,
  programPaused: false,
  account: ACCOUNT,
  recipientMissing: false,
  feeAccountMissing: false,
}
const change = (facts: DueFacts, changes: Partial<SeenAccount>): DueFacts => ({
  ...facts,
  account: { ...facts.account!, ...changes },
})

/** Makes each cause, whatever else is made. */
const MAKE: Readonly<Record<RiskCause, (facts: DueFacts) => DueFacts>> = {
  program_paused: facts => ({ ...facts, programPaused: true }),
  account_missing: facts => change(facts, { exists: false }),
  account_frozen: facts => change(facts, { frozen: true }),
  delegate_revoked: facts => change(facts, { delegate: 'another' }),
  insufficient_balance: facts => change(facts, { balance: 5n }),
  insufficient_allowance: facts => change(facts, { allowance: 5n }),
  recipient_account_missing: facts => ({ ...facts, recipientMissing: true }),
  fee_account_missing: facts => ({ ...facts, feeAccountMissing: true }),
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
    'fee_account_missing',
  ])
  const counts = new Map<RiskCause | null, number>()
  for (let set = 0; set < 2 ** RISK_CAUSES.length; set++) {
    const causes = RISK_CAUSES.filter((_, at) => (set >> at) % 2 === 1)
    const { state, cause } = dueRiskOf(causes.reduce((facts, each) => MAKE[each](facts), GOOD))
    t.same([state, cause], causes.length === 0 ? ['ok', null] : ['at_risk', causes[0]], causes.join(', '))
    counts.set(cause, (counts.get(cause) ?? 0) + 1)
  }
  t.equal(counts.size, RISK_CAUSES.length + 1)
})

t.test('what was seen too long ago, or never, is no alarm', async t => {
  const OF_ACCOUNT = RISK_CAUSES.slice(1, 6)
  for (const cause of OF_ACCOUNT) {
    const facts = MAKE[cause](GOOD)
    t.equal(dueRiskOf(change(facts, { age: SEEN_SECONDS })).state, 'at_risk', cause)
    t.match(dueRiskOf(change(facts, { age: SEEN_SECONDS + 1 })), { state: 'unknown', cause: null }, cause)
  }
  t.match(dueRiskOf(change(GOOD, { age: SEEN_SECONDS + 1 })), {
    state: 'unknown',
    checkedAt: '2026-11-27T10:00:00.000Z',
    slot: 77n,
    balance: 10n,
  })
  t.match(dueRiskOf({ ...GOOD, account: null }), {
    state: 'unknown',
    cause: null,
    dueTogether: 6n,
    slot: null,
  })
  t.equal(
    dueRiskOf({ ...GOOD, account: null, programPaused: true }).cause,
    'program_paused',
    'an event says so',
  )
  t.equal(dueRiskOf(change(GOOD, { balance: null })).state, 'unknown', 'a balance that was not sent')
})

t.test('payments that are due together need the sum, and each its own allowance', async t => {
  t.equal(dueRiskOf({ ...GOOD, dueTogether: 10n }).state, 'ok')
  t.match(dueRiskOf({ ...GOOD, dueTogether: 11n }), { cause: 'insufficient_balance', dueTogether: 11n })
  t.equal(dueRiskOf({ ...change(GOOD, { allowance: 6n }), dueTogether: 10n }).state, 'ok')
  const most = 2n ** 64n - 1n
  const full = change({ ...GOOD, amount: most, dueTogether: most }, { balance: most, allowance: most })
  t.equal(dueRiskOf(full).state, 'ok')
  t.equal(dueRiskOf({ ...full, dueTogether: 2n * most }).cause, 'insufficient_balance')
  t.equal(
    dueRiskOf(change(GOOD, { mint: 'another' })).cause,
    'account_missing',
    'an account of another token',
  )
  t.equal(dueRiskOf(change(GOOD, { mint: null })).state, 'ok', 'a token that was not sent')
  t.equal(dueRiskOf(change(GOOD, { delegate: null })).cause, 'delegate_revoked')
})

t.test('a risk is written with every digit', async t => {
  const text = renderDueRisk(dueRiskOf({ ...GOOD, dueTogether: 2n ** 65n }))
  t.match(text, `"dueTogether":${2n ** 65n}}`)
  t.same(JSON.parse(text), {
    state: 'at_risk',
    cause: 'insufficient_balance',
    checkedAt: '2026-11-27T10:00:00.000Z',
    slot: 77,
    balance: 10,
    allowance: 10,
    dueTogether: 2 ** 65,
  })
  t.equal(renderDueRisk(null), 'null')
  t.equal(JSON.parse(renderDueRisk(UNWATCHED)).state, 'unknown')
})

t.test('addresses are derived as the programs derive them', async t => {
  const { address, getProgramDerivedAddress, getAddressEncoder } = await import('@solana/addresses')
  const bytes = (key: string) => getAddressEncoder().encode(address(key))
  const PROGRAM = 'TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ'
  const TOKENS = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
  const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
  t.equal(
    derivePaymentsDelegate(PROGRAM),
    (await getProgramDerivedAddress({ programAddress: address(PROGRAM), seeds: ['payments'] }))[0],
  )
  t.equal(
    deriveTokenAccount(PROGRAM, TOKENS, MINT),
    (
      await getProgramDerivedAddress({
        programAddress: address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'),
        seeds: [bytes(PROGRAM), bytes(TOKENS), bytes(MINT)],
      })
    )[0],
  )
})
