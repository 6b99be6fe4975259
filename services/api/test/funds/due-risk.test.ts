// What records say of due payments whose accounts the nodes see.
import { listDueAccounts } from '@payment-tracking/store/ingest'
import t from 'tap'
import { openApi } from '../open-api.js'
import { keyOf, payAsYouGoOf, subscriptionOf, openChain } from '../open-chain.js'
import { accountOf, nameAccount, see } from './see-accounts.js'

const DAY = 86_400
const NOW = Math.floor(Date.now() / 1000)

const api = await openApi(t, {}, () => Date.now())
const { pool } = api.database
const chain = openChain(api.store)

const monthly = (dueIn: number, amount = 6, fields = {}) =>
  subscriptionOf({ amount: String(amount), next_payment_due: String(NOW + dueIn), ...fields })

/** A policy of a wallet whose token account is named after it. */
const open = async (owner: string, type: Record<string, unknown>, others: { gateway?: string } = {}) => {
  const policy = await chain.policy({ owner: keyOf(owner), type, at: NOW - 40 * DAY, ...others })
  await nameAccount(pool, owner)
  return policy
}
const accountOfWallet = (owner: string, changes = {}) => accountOf(keyOf(`account of ${owner}`), changes)
const seen = (owner: string, changes = {}) => see(api.store, [accountOfWallet(owner, changes)])
const riskOf = async (address: string) => {
  const { body } = await api.get(`/v1/payment-policies/${address}`)
  const { body: all } = await api.get(`/v1/subscriptions?userPublicKey=${body.data.walletPublicKey}`)
  const found = all.data.find((each: { policyAddress: string }) => each.policyAddress === address)
  t.same(found.dueRisk, body.data.dueRisk, 'both routes say the same')
  return body.data.dueRisk
}

// Each cause of the payer's own, alone and with others: risk-causes.test.ts.
t.test('a risk is shown, and gone after its cure, by whatever account who is paid has', async t => {
  const { address, recipient } = await open('one cause', monthly(2 * DAY))
  t.match(await riskOf(address), { state: 'unknown', cause: null, checkedAt: null, dueTogether: 6 })
  await seen('one cause')
  t.match(await riskOf(address), { state: 'ok', cause: null, balance: Number, slot: Number })
  await seen('one cause', { mint: keyOf('another mint') })
  t.match(await riskOf(address), { state: 'at_risk', cause: 'account_missing' })
  await seen('one cause')
  const seenOf = (changes: object, account = 'usual account of the recipient', at?: Date) =>
    see(api.store, [accountOf(keyOf(account), { owner: recipient, mint: keyOf('mint'), ...changes })], at)
  const recipients: [object, object][] = [
    [{ exists: false }, { state: 'unknown', cause: null, balance: Number, dueTogether: 6 }],
    [
      { exists: false, others: 'none' },
      { state: 'at_risk', cause: 'recipient_account_missing' },
    ],
    [{ exists: false, others: 'usable' }, { state: 'ok' }],
    [
      { exists: false, others: 'frozen' },
      { state: 'at_risk', cause: 'recipient_account_frozen' },
    ],
    [{ frozen: true }, { state: 'at_risk', cause: 'recipient_account_frozen' }],
    [{ others: 'none' }, { state: 'ok' }],
  ]
  for (const [changes, risk] of recipients) {
    await seenOf(changes)
    t.match(await riskOf(address), risk, JSON.stringify(changes))
  }
  await seenOf({}, undefined, new Date(Date.now() - 901_000))
  t.match(await riskOf(address), { state: 'unknown', cause: null }, 'seen too long ago')
  await seenOf({ exists: false, others: 'none' })
  await seenOf({}, 'account that was made by hand')
  t.match(await riskOf(address), { state: 'ok' }, 'an account of that wallet is there')
})

t.test('a pause of the program is a cause until it ends or is retracted', async t => {
  const { address } = await open('paused program', monthly(DAY))
  await seen('paused program')
  const pause = (is: boolean) => chain.pause(is, NOW)
  await pause(true)
  t.match(await riskOf(address), { state: 'at_risk', cause: 'program_paused' })
  await pause(false)
  t.match(await riskOf(address), { state: 'ok' })
  const signature = await pause(true)
  t.match(await riskOf(address), { cause: 'program_paused' })
  await chain.retract(signature)
  t.match(await riskOf(address), { state: 'ok' })
})

t.test('fees need accounts too: of the program and of the gateway, whoever takes them now', async t => {
  const authority = keyOf('authority of fees')
  await chain.say(
    'PaymentGatewayCreated',
    {
      authority,
      fee_recipient: keyOf('first fees'),
      gateway_fee_bps: 1,
      name: Array(32).fill(1),
      url: Array(64).fill(1),
    },
    NOW,
  )
  const { rows } = await pool.query<{ address: string }>(
    'select address from gateways where authority = $1',
    [authority],
  )
  const gateway = rows[0]!.address
  const { address } = await open('payer of fees', monthly(DAY), { gateway })
  await seen('payer of fees')
  const account = (changes: object) =>
    see(api.store, [
      accountOf(keyOf('account of first fees'), {
        owner: keyOf('first fees'),
        mint: keyOf('mint'),
        ...changes,
      }),
    ])
  await account({ exists: false })
  t.match(await riskOf(address), { state: 'unknown', cause: null }, 'nobody asked for another account')
  await account({ frozen: true })
  t.match(await riskOf(address), { state: 'at_risk', cause: 'recipient_account_frozen' })
  await account({ exists: false, others: 'none' })
  t.match(await riskOf(address), { state: 'at_risk', cause: 'fee_account_missing' })
  await chain.say(
    'GatewayFeeRecipientChanged',
    { gateway, old_fee_recipient: keyOf('first fees'), new_fee_recipient: keyOf('second fees') },
    NOW,
  )
  t.match(await riskOf(address), { state: 'ok' })
  const asked = (await listDueAccounts(api.store, null)).accounts
  const accountCheck = asked.find(({ tokenAccount }) => tokenAccount === keyOf('account of payer of fees'))
  t.match(accountCheck, { tokenMint: keyOf('mint'), owners: [keyOf('recipient'), keyOf('second fees')] })
})

t.test('the newest slot wins, in any order, and what is old is unknown', async t => {
  const { address } = await open('slots', monthly(DAY))
  await seen('slots', { slot: 90, balance: '6' })
  await seen('slots', { slot: 80, balance: '5' })
  await seen('slots', { slot: 90, balance: '4' })
  t.match(await riskOf(address), { state: 'ok', slot: 90, balance: 6 })
  await see(api.store, [
    accountOfWallet('slots', { slot: 92, balance: '2' }),
    accountOfWallet('slots', { slot: 91, balance: '9' }),
  ])
  t.match(await riskOf(address), { state: 'at_risk', slot: 92, balance: 2 })
  await see(api.store, [accountOfWallet('slots', { slot: 93, balance: '1' })], new Date(Date.now() - 901_000))
  t.match(await riskOf(address), { state: 'unknown', cause: null, slot: 93, balance: 1 })
})

t.test('payments of one account that are due together need their sum', async t => {
  const [first, second, third] = [
    await open('several', monthly(DAY, 6)),
    await open('several', monthly(2 * DAY, 6)),
    await open('several', monthly(30 * DAY, 6)),
  ]
  await seen('several', { balance: '10' })
  t.match(await riskOf(first.address), { state: 'ok', dueTogether: 6 })
  const secondRisk = await riskOf(second.address)
  t.match(secondRisk, { state: 'at_risk', cause: 'insufficient_balance', balance: 10, dueTogether: 12 })
  await seen('several', { allowance: '11' })
  t.match(await riskOf(first.address), { state: 'ok', allowance: 11 })
  t.match(
    await riskOf(second.address),
    { state: 'at_risk', cause: 'insufficient_allowance', dueTogether: 12 },
    'the allowance is one too',
  )
  t.match(await riskOf(third.address), { state: 'unknown', dueTogether: null }, 'what is far away')
  const [late, later] = [
    await open('both late', monthly(-3 * DAY, 6)),
    await open('both late', { OneTime: { amount: '6', due_date: String(NOW - DAY), expiry_date: null } }),
  ]
  await seen('both late', { balance: '10' })
  for (const { address } of [late, later])
    t.match(await riskOf(address), { state: 'at_risk', dueTogether: 12 }, 'nobody knows which comes first')
  await chain.pay(late, NOW - 60)
  t.match(await riskOf(later.address), { state: 'ok', dueTogether: 6 })
})

t.test('only what waits for one amount at one date has a risk', async t => {
  const { address: paused } = await open('paused', monthly(DAY))
  await chain.change(paused, 'Paused', NOW)
  const { address: completed, ...rest } = await open('completed', monthly(DAY, 6, { max_renewals: 1 }))
  await chain.pay({ address: completed, ...rest }, NOW)
  const without: [string, Record<string, unknown>][] = [
    ['UpTo', { UpTo: { max_amount: '1', valid_after: '0', deadline: String(NOW + DAY) } }],
    ['PayAsYouGo', payAsYouGoOf()],
    ['expired', { OneTime: { amount: '6', due_date: '0', expiry_date: String(NOW - 60) } }],
  ]
  for (const each of [paused, completed]) t.equal(await riskOf(each), null)
  for (const [owner, type] of without) {
    const { address } = await open(owner, type)
    await seen(owner, { balance: '0' })
    t.equal(await riskOf(address), null, owner)
  }
})

t.test('amounts up to 2^64-1, and sums beyond it, are exact', async t => {
  const most = 2n ** 64n - 1n
  const { address } = await open('much', monthly(DAY, 0, { amount: String(most) }))
  const other = await open('much', monthly(DAY, 0, { amount: String(most) }))
  await seen('much')
  const { text } = await api.get(`/v1/payment-policies/${address}`)
  t.match(text, `"balance":${most},"allowance":${most},"dueTogether":${2n * most}}`)
  t.match(await riskOf(other.address), { state: 'at_risk', cause: 'insufficient_balance' })
})

t.test('what is looked for is what is due, and checks move when it is paid, and come back', async t => {
  const asked = async () => {
    const found = new Set<string>()
    for (let after: string | null = null; ;) {
      const { accounts, next } = await listDueAccounts(api.store, after)
      for (const { tokenAccount } of accounts) found.add(tokenAccount)
      if (next === null) return found
      after = next
    }
  }
  const lookOf = async (address: string) =>
    (
      await pool.query<{ check: string | null }>(
        'select next_funds_check_at as check from policies where address = $1',
        [address],
      )
    ).rows[0]!.check
  const policy = await open('looked at', monthly(-DAY))
  const account = keyOf('account of looked at')
  t.ok((await asked()).has(account))
  t.equal(await lookOf(policy.address), '0')
  const signature = await chain.pay(policy, NOW)
  t.equal(await lookOf(policy.address), '0', 'a payment writes no index')
  t.notOk((await asked()).has(account))
  t.ok(Number(await lookOf(policy.address)) > NOW + 20 * DAY)
  await chain.retract(signature)
  t.ok((await asked()).has(account), 'due again')
  const say = (name: string) => chain.change(policy.address, name, NOW)
  await say('Paused')
  t.notOk((await asked()).has(account))
  t.equal(await lookOf(policy.address), null)
  await say('Active')
  t.ok((await asked()).has(account))
})
