// Honest programs and hostile ones, each with what must come out of the service.
import { discriminatorOf, writeEventBytes } from '@payment-tracking/chain'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { emitEvent, type ExecuteOptions, type PuppetCall, type Step } from '@payment-tracking/simulator'
import { buildAddress, buildChain } from '@payment-tracking/testkit'

export const PROGRAM = DEFAULT_PROGRAM_ID
export const STRANGER = 'Stranger11111111111111111111111111111111111'
const DIRECT = '11111111111111111111111111111111'
const MINT = buildAddress('mint')

const market = buildChain({ seed: 'market', programId: PROGRAM })
const userPayment = await market.openUserPayment()
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
const bytesOf = (call: PuppetCall): Uint8Array => (call.steps[0] as { log: Uint8Array }).log
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
const dataLine = (id: string) => `Program data: ${Buffer.from(bytesOf(payment(id, 99))).toString('base64')}`

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
  /** what the first row of the transaction holds, as JSON */
  row?: RegExp
}

/** A subscription of an earlier version of the program, or of the newest (version 0). */
const created = (id: string, version: number, maxRenewals: number | null, policyId: number): PuppetCall => ({
  program: PROGRAM,
  discriminator: discriminatorOf('global', 'create_payment_policy'),
  steps: [
    {
      log: writeEventBytes(
        'PaymentPolicyCreated',
        {
          user_payment: userPayment.address,
          recipient: buildAddress('recipient'),
          gateway: gateway.address,
          policy_id: policyId,
          policy_type: {
            Subscription: {
              amount: '5',
              auto_renew: true,
              max_renewals: maxRenewals,
              payment_frequency: { Monthly: null },
              next_payment_due: '1780000000',
            },
          },
          memo: [...Buffer.from(id.padEnd(64, '\0'))],
          ...(version === 0 && { created_policies_count: policyId - 1 }),
        },
        version,
      ),
    },
  ],
})

const p = payment
export const CASES: Case[] = [
  { id: 'one', calls: [p('one', 1)], payments: 1 },
  {
    id: 'referral',
    calls: [steps(p('referral', 1), logOf(referral), logOf(p('referral', 1)))],
    payments: 1,
    events: 2,
  },
  { id: 'deep', calls: [stranger({ call: p('deep', 1) })], payments: 1 },
  { id: 'two', calls: [p('two', 1), p('two', 2)], payments: 2 },
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
    id: 'forged-alone',
    calls: [stranger(forged('forged-alone'))],
    options: { mentions: [PROGRAM] },
    payments: 0,
  },
  {
    id: 'imitated',
    calls: [
      steps(
        p('imitated', 1),
        { text: dataLine('imitated') },
        { text: `\nProgram ${PROGRAM} invoke [2]\n${dataLine('imitated')}\nProgram ${PROGRAM} success` },
        logOf(p('imitated', 1)),
      ),
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
  ...(
    [
      ['slices', { logTwice: Buffer.from('two') }, /NOT_ONE_SLICE/],
      ['empty', { log: Buffer.alloc(0) }, /EMPTY/],
      ['long', { log: Buffer.concat([bytesOf(p('long', 1)), Buffer.of(0)]) }, /UNKNOWN_LAYOUT/],
      ['unknown', { log: Buffer.alloc(30, 7) }, /UNKNOWN_EVENT/],
    ] as const
  ).map(([id, step, gap]) => ({
    id,
    calls: [steps(p(id, 1), step, logOf(p(id, 1)))],
    payments: 1,
    gap,
  })),
  { id: 'silent', calls: [steps(p('silent', 1))], payments: 0, gap: /EVENT_MISSING/ },
  ...(['legacy', 0, 1] as const).map(version => ({
    id: `version-${version}`,
    calls: [stranger({ call: p(`version-${version}`, 1) })],
    options: { version },
    payments: 1,
  })),
  // Both have 285 bytes: the option of the old layout is as long as the counter of the new one.
  {
    id: 'layout-old',
    calls: [created('layout-old', 1, 12, 1)],
    payments: 0,
    events: 1,
    row: /"max_renewals":\s*12\b/,
  },
  {
    id: 'layout-new',
    calls: [created('layout-new', 0, null, 2)],
    payments: 0,
    events: 1,
    row: /"max_renewals":\s*null/,
  },
]
