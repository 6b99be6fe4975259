import { Type, type Static } from 'typebox'
import { DUE_STATES, dueStateOf, type DueRisk } from '@payment-tracking/domain'
import type { StoredSubscription } from '@payment-tracking/store/reads'
import { Integer, Nullable, PublicKey, RawObject, Text } from '../http/fields.js'
import { DueRiskRecord, toDueRiskRecord } from './due-risk-record.js'
import { writePolicyType } from './write-policy-type.js'

export const SubscriptionRecord = Type.Object(
  {
    userPayment: PublicKey('the user payment account that pays'),
    recipient: PublicKey('who is paid'),
    gateway: PublicKey('the gateway that executes the payments'),
    policyId: Integer('number of the policy within its user payment', 1),
    policyType: RawObject(
      'one key, the name of the type in camelCase (`subscription`, `milestone`, `payAsYouGo`, `oneTime`, `upTo`, or a newer one), with its fields',
      {
        subscription: {
          amount: 404000000,
          autoRenew: true,
          maxRenewals: 24,
          paymentFrequency: { Monthly: null },
          nextPaymentDue: 1795262400,
        },
      },
    ),
    memo: Text(
      'carries the tracking ID; up to its first NUL, with U+FFFD for what is no UTF-8',
      'order-4711',
    ),
    totalPaid: Integer("sum of its payments in the token's smallest unit", 4040000000),
    createdAt: Integer('Unix time in seconds', 1769860800),
    updatedAt: Integer('Unix time in seconds of the latest creation, payment or status change', 1794697200),
    policyAddress: PublicKey('the policy itself'),
    status: Text('`active`, `paused` or `completed`', 'active'),
    family: Type.String({
      enum: ['regular', 'composable'],
      description: 'a composable policy pays through another program',
      examples: ['regular'],
    }),
    dueState: Type.String({
      enum: [...DUE_STATES],
      description:
        '`none` when it waits for no payment, `upcoming`, `due` after its due date, `overdue` after a grace, `expired` when no payment is taken any more; told at the time of reading',
      examples: ['upcoming'],
    }),
    dueRisk: Nullable(DueRiskRecord),
    paymentCount: Integer('number of its payments', 10),
    tokenMint: Nullable(PublicKey('the token that is paid; null while the user payment is not known')),
    walletPublicKey: Nullable(PublicKey('who pays; null while the user payment is not known')),
    userPaymentDeleted: Type.Boolean({
      description: 'whether its user payment account is closed: the policy stays on the chain and cannot pay',
      examples: [false],
    }),
  },
  { title: 'SubscriptionRecord', description: 'A payment policy that exists on the chain.' },
)
export type SubscriptionRecord = Static<typeof SubscriptionRecord>

/** What a record needs beside its policy. */
export interface RecordParts {
  /** Unix seconds */
  now: number
  /** from the due date until a payment is overdue */
  graceSeconds: number
  risks: ReadonlyMap<string, DueRisk>
}

export const toSubscriptionRecord = (
  policy: StoredSubscription,
  { now, graceSeconds, risks }: RecordParts,
): SubscriptionRecord => ({
  userPayment: policy.userPayment,
  recipient: policy.recipient,
  gateway: policy.gateway,
  policyId: policy.policyId,
  policyType: writePolicyType(policy),
  memo: policy.memo,
  totalPaid: policy.totalPaid,
  createdAt: policy.createdAt,
  updatedAt: policy.updatedAt,
  policyAddress: policy.address,
  status: policy.status,
  family: policy.family,
  dueState: dueStateOf({ ...policy, live: true }, now, graceSeconds),
  dueRisk: risks.has(policy.address) ? toDueRiskRecord(risks.get(policy.address)!) : null,
  paymentCount: policy.paymentCount,
  tokenMint: policy.tokenMint,
  walletPublicKey: policy.walletPublicKey,
  userPaymentDeleted: policy.userPaymentDeleted,
})
