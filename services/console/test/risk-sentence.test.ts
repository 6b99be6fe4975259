import t from 'tap'
import { riskSentence, type DueRisk, type RiskFacts } from '../src/site/risks/risk-sentence.js'

const NOW = Date.parse('2026-11-23T12:00:00Z')
const RISK: DueRisk = {
  state: 'at_risk',
  cause: 'insufficient_balance',
  checkedAt: '2026-11-23T11:58:00.000Z',
  slot: 1,
  balance: 3_200_000,
  allowance: 50_000,
  dueTogether: 9_990_000,
}
const FACTS: RiskFacts = {
  risk: RISK,
  wallet: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU',
  recipient: 'Bean1111111111111111111111111111111111111111',
  amount: '9990000',
  token: { symbol: 'USDC', decimals: 6 },
  dueAt: Date.parse('2026-11-26T12:00:00Z') / 1000,
}
const say = (changes: Partial<RiskFacts>, risk: Partial<DueRisk> = {}) =>
  riskSentence({ ...FACTS, ...changes, risk: { ...RISK, ...risk } }, NOW)

t.test('each cause is a sentence with its cure', async t => {
  t.equal(say({}), 'Wallet 7xKX… has 3.20 USDC, 9.99 are due on Thursday. It must top up.')
  const dueTogether = say({}, { dueTogether: 19_980_000 })
  t.equal(dueTogether, 'Wallet 7xKX… has 3.20 USDC, 19.98 are due together by Thursday. It must top up.')
  const dueOnce = say({ dueAt: Date.parse('2026-11-02T12:00:00Z') / 1000 })
  t.equal(dueOnce, 'Wallet 7xKX… has 3.20 USDC, 9.99 were due on Nov 2, 2026. It must top up.')
  t.equal(
    say({ token: undefined, wallet: null }),
    'Wallet unknown has 3,200,000 of its token, 9,990,000 are due on Thursday. It must top up.',
  )
  const sentences: [NonNullable<DueRisk['cause']>, RegExp][] = [
    ['program_paused', /^The program is paused, .* end the pause\.$/],
    ['account_missing', /^Wallet 7xKX… has no USDC account .* open one and approve/],
    ['account_frozen', /^The USDC account of wallet 7xKX… is frozen\. .* thaw it\.$/],
    ['delegate_revoked', /^Wallet 7xKX… does not let the program pay .* approve the payments again\.$/],
    ['insufficient_allowance', /^Wallet 7xKX… lets the program take 0\.05 USDC, 9\.99 .* approve more\.$/],
    ['recipient_account_missing', /^Bean…, who is paid, has no USDC account\. /],
    ['recipient_account_frozen', /^The USDC account of who is paid, .* is frozen\. .* thaw it\.$/],
    ['fee_account_missing', /^Who takes the fees has no USDC account\. /],
  ]
  t.equal(
    say({}, { cause: 'insufficient_allowance', allowance: 15_000_000, dueTogether: 19_980_000 }),
    'Wallet 7xKX… lets the program take 15.00 USDC, 19.98 are due together by Thursday. It must approve more.',
  )
  for (const [cause, sentence] of sentences) t.match(say({}, { cause }), sentence, cause)
  for (const state of ['ok', 'unknown'] as const) t.equal(say({}, { state, cause: null }), null, state)
})
