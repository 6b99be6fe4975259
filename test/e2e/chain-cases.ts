// Honest programs and hostile ones, each with what must come out of the service. All ways to log wrongly are in packages/chain/test.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { emitEvent, type ExecuteOptions, type PuppetCall, type Step } from '@payment-tracking/simulator'
import { buildAddress, buildChain } from '@payment-tracking/testkit'

export const PROGRAM = DEFAULT_PROGRAM_ID
export const STRANGER = 'Stranger11111111111111111111111111111111111'
const DIRECT = '11111111111111111111111111111111'
const MINT = buildAddress('mint')

const market = buildChain({ seed: 'market', programId: PROGRAM })
export const gateway = await market.openGateway('Hostile Market')

export const payment = (
  trackingId: string,
  recordId: number,
  more: Record<string, unknown> = {},
): PuppetCall =>
  emitEvent(PROGRAM, 'PaymentRecord', {
    payment_policy: buildAddress(`policy of ${trackingId}`),
    gateway: gateway.address,
    amount: '18446744073709551615',
    timestamp: '1780000000',
    memo: [...Buffer.from(trackingId.padEnd(64, '\0'))],
    record_id: recordId,
    payer: buildAddress('payer'),
    recipient: buildAddress('recipient'),
    token_mint: MINT,
    ...more,
  })
const steps = (call: PuppetCall, ...list: Step[]): PuppetCall => ({ ...call, steps: list })
const logOf = (call: PuppetCall): Step => call.steps[0]!
export const stranger = (...list: Step[]): PuppetCall => ({
  program: STRANGER,
  discriminator: Buffer.alloc(8, 9),
  steps: list,
})
const forged = (id: string) => logOf(payment(id, 99))
const referral = emitEvent(PROGRAM, 'ReferralRewardDistributedRecord', {
  payment_policy: buildAddress('policy'),
  gateway: gateway.address,
  payment_amount: '5',
  timestamp: '1780000000',
  rewards: [{ pubkey: buildAddress('referrer'), reward: '1' }, null, null],
})
interface Case {
  /** also the tracking ID of its payments, honest and forged */
  id: string
  calls: PuppetCall[]
  options?: ExecuteOptions
  /** payments of the tracking ID that must come out */
  payments: number
  /** events of the transaction, default as many as payments */
  events?: number
  gap?: RegExp
}

const p = payment
export const CASES: Case[] = [
  { id: 'one', calls: [p('one', 1)], payments: 1 },
  {
    id: 'referral',
    calls: [steps(p('referral', 1), logOf(referral), logOf(p('referral', 1)))],
    payments: 1,
    events: 2,
  },
  {
    id: 'basket',
    calls: [1, 2].map(() => p('basket', 0, { payment_policy: DIRECT })),
    payments: 2,
  },
  {
    id: 'forged-around',
    calls: [
      stranger(forged('forged-around')),
      steps(p('forged-around', 1), { call: stranger(forged('forged-around')) }, logOf(p('forged-around', 1))),
      stranger(forged('forged-around')),
    ],
    payments: 1,
  },
  {
    id: 'failed',
    calls: [steps(p('failed', 1), logOf(p('failed', 1)), { fail: true })],
    payments: 0,
  },
  {
    id: 'spam',
    calls: [
      p('spam', 1),
      stranger({ spam: 9_700 }, { spam: 900 }),
      emitEvent(PROGRAM, 'PaymentPolicyDeleted', {
        payment_policy: buildAddress('hidden'),
        owner: buildAddress('owner'),
        policy_id: 1,
      }),
    ],
    payments: 1,
    gap: /LOG_TRUNCATED/,
  },
  ...(['legacy', 0, 1] as const).map(version => ({
    id: `version-${version}`,
    calls: [stranger({ call: p(`version-${version}`, 1) })],
    options: { version },
    payments: 1,
  })),
]
