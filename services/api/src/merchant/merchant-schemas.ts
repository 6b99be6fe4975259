import { readJson } from '@payment-tracking/domain'
import type { MerchantPolicy } from '@payment-tracking/store/reads'
import { Type, type Static } from 'typebox'
import { DueRiskRecord } from '../policies/due-risk-record.js'
import { Movements } from './movement-schemas.js'
import { Integer, KnownSince, Moment, Nullable, PublicKey, Text } from '../http/fields.js'

export const Amount = (description: string) =>
  Text(`${description}, in the token's smallest unit`, '404000000')
export const TokenMint = Nullable(PublicKey('the token; null while it is not known'))

const MerchantPolicyRecord = Type.Object(
  {
    policyAddress: PublicKey('the policy'),
    family: Type.String({ enum: ['regular', 'composable'] }),
    policyId: Integer('number of the policy within its user payment', 1),
    recipient: PublicKey('who is paid'),
    userPayment: PublicKey('the user payment account that pays'),
    variant: Text(
      '`Subscription`, `Milestone`, `PayAsYouGo`, `OneTime`, `UpTo` or a newer one',
      'Subscription',
    ),
    status: Text('`Active`, `Paused`, `Completed` or `Deleted`', 'Active'),
    amount: Nullable(Amount('of a payment; null for types without one amount')),
    paymentFrequency: Nullable(Text('of a subscription', 'Monthly')),
    createdAt: Integer('Unix time in seconds', 1769860800),
    paymentCount: Integer('number of its payments', 10),
    totalPaid: Amount('sum of its payments'),
    lastPaymentAt: Nullable(Integer('Unix time in seconds', 1794697200)),
    tokenMint: TokenMint,
    wallet: Nullable(PublicKey('who pays; null while the user payment is not known')),
    trackingId: Nullable(Text('what the memo says', 'order-4711')),
    nextPaymentDue: Nullable(Integer('of a subscription, Unix time in seconds', 1795262400)),
  },
  { title: 'MerchantPolicy' },
)

const pageOf = <T extends Parameters<typeof Type.Array>[0]>(title: string, item: T) =>
  Type.Object({ items: Type.Array(item), total: Integer('of all pages', 1) }, { title })

export const MerchantPolicies = pageOf('MerchantPolicies', MerchantPolicyRecord)
const Point = Type.Object(
  {
    ts: Text('the day on which the bucket begins, in UTC', '2026-11-14'),
    mrr: Amount('monthly recurring revenue at its end'),
    recognized: Amount('volume in it'),
    movements: Movements,
  },
  { title: 'RevenuePoint' },
)
const FIGURES = {
  mrr: Amount('monthly recurring revenue of the active subscriptions now that were paid at least once'),
  neverPaid: Type.Object(
    {
      mrr: Amount('what the active subscriptions that nobody has paid yet would add'),
      subscriptionCount: Integer('of them', 1),
    },
    { title: 'NeverPaid' },
  ),
  recognizedRevenue: Amount('volume of the span: face value of the payments, before fees'),
  mrrAtStart: Amount('monthly recurring revenue when the span begins'),
  series: Type.Array(Point, { description: 'Oldest first.' }),
}
const TokenRevenue = Type.Object(
  {
    tokenMint: TokenMint,
    decimals: Nullable(Integer('of the token, when this service knows it', 6)),
    ...FIGURES,
    paymentCount: Integer('payments of the span', 94),
    activeSubscriptionCount: Integer('active subscriptions now', 12),
    uncountedSubscriptions: Integer(
      'of these, with a frequency that has no month: they add nothing to mrr',
      0,
    ),
  },
  { title: 'TokenRevenue' },
)

export const Revenue = Type.Object(
  {
    tokenMint: Nullable(PublicKey('the first of `byToken`, which the figures here are of')),
    ...FIGURES,
    activeSubscriptionCount: Integer('active subscriptions now, of all tokens', 12),
    startTime: Moment('the first moment of the span'),
    endTime: Moment('the first moment after the span'),
    knownSince: KnownSince(),
    bucket: Type.String({ enum: ['day', 'week', 'month'] }),
    byToken: Type.Array(TokenRevenue, {
      description:
        'The tokens of `TOKENS` that were paid, most payments first, then the others by the number of wallets that paid; at most 1,000 tokens, and 40,000 points of all series. The figures of all subscriptions count those of every token. ' +
        'Amounts of tokens are never added.',
    }),
    churn: Type.Object(
      {
        activeAtStart: Integer('wallets with an active subscription when the span begins', 10),
        churned: Integer('of these, wallets without one when it ends', 1),
        rate: Nullable(Text('churned ÷ activeAtStart as a fraction; null for 0 ÷ 0', '1/10')),
      },
      { title: 'Churn' },
    ),
    subscribers: Type.Array(
      Type.Object(
        {
          ts: Text('the day on which the bucket begins, in UTC', '2026-11-14'),
          active: Integer('wallets with an active subscription at its end', 12),
          came: Integer('of these, wallets without one at its beginning', 2),
          left: Integer('wallets with one at its beginning and none at its end', 1),
        },
        { title: 'SubscriberPoint' },
      ),
      { description: 'Of all tokens, oldest first.' },
    ),
    subscriptions: Type.Object(
      {
        active: Integer('now', 12),
        paused: Integer('now', 1),
        completed: Integer('now', 0),
        overdue: Integer('of the active ones', 2),
      },
      { title: 'SubscriptionCounts' },
    ),
  },
  { title: 'Revenue' },
)

export const Upcoming = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          dueAt: Integer('Unix time in seconds', 1795262400),
          policyAddress: PublicKey('the policy'),
          variant: Text('`Subscription` or `OneTime`', 'Subscription'),
          recipient: PublicKey('who is paid'),
          wallet: Nullable(PublicKey('who pays')),
          trackingId: Nullable(Text('what the memo says', 'order-4711')),
          tokenMint: TokenMint,
          amount: Amount('to be paid'),
          dueRisk: DueRiskRecord,
        },
        { title: 'UpcomingPayment' },
      ),
      { description: 'Earliest first.' },
    ),
    byToken: Type.Array(
      Type.Object(
        {
          tokenMint: TokenMint,
          count: Integer('payments', 3),
          totalAmount: Amount('their sum'),
          overdueCount: Integer(
            'of them, those that are past their date by more than the grace (`OVERDUE_GRACE_SECONDS`)',
            1,
          ),
          overdueAmount: Amount('the sum of those'),
          atRiskCount: Integer('of them, those at risk', 1),
          atRiskAmount: Amount('the sum of those'),
        },
        { title: 'UpcomingToken' },
      ),
      { description: 'Of all payments of the span, on whatever page.' },
    ),
    byDay: Type.Array(
      Type.Object(
        {
          day: Text('in UTC', '2026-11-14'),
          tokenMint: TokenMint,
          count: Integer('payments', 3),
          totalAmount: Amount('their sum'),
        },
        { title: 'UpcomingDay' },
      ),
      { description: 'Of the first 400 days of the span, earliest first, by day and token.' },
    ),
    total: Integer('payments of the span', 3),
    complete: Type.Boolean({
      description:
        'false when the sums are at least so much: they are of at most the newest 100,000 policies, 10,000 tokens and 10,000 rows by day',
    }),
    itemsComplete: Type.Boolean({
      description:
        'false when `items`, and what is at risk, may lack some: they are of the newest 10,000 policies, at most 1,000 dates of each and 320,000 of all',
    }),
  },
  { title: 'Upcoming' },
)

type PolicyFields = Record<string, unknown>

/** The variant's on-chain name, its amount and its frequency. */
export function describePolicyType(text: string): {
  variant: string
  amount: bigint | null
  paymentFrequency: string | null
} {
  const [variant = 'Unknown', fields] =
    Object.entries(readJson(text) as Record<string, PolicyFields | null>)[0] ?? []
  const amount =
    variant === 'UpTo' ? fields?.max_amount : variant === 'Milestone' ? undefined : fields?.amount
  const frequency = fields?.payment_frequency as Record<string, unknown> | undefined
  return {
    variant,
    amount: typeof amount === 'number' || typeof amount === 'bigint' ? BigInt(amount) : null,
    paymentFrequency: frequency === undefined ? null : (Object.keys(frequency)[0] ?? null),
  }
}

const capitalised = (status: string): string => status.charAt(0).toUpperCase() + status.slice(1)

export function toMerchantPolicy(policy: MerchantPolicy): Static<typeof MerchantPolicyRecord> {
  const { variant, amount, paymentFrequency } = describePolicyType(policy.policyType)
  return {
    policyAddress: policy.address,
    family: policy.family,
    policyId: policy.policyId,
    recipient: policy.recipient,
    userPayment: policy.userPayment,
    variant,
    status: policy.live ? capitalised(policy.status) : 'Deleted',
    amount: amount === null ? null : amount.toString(),
    paymentFrequency,
    createdAt: policy.createdAt,
    paymentCount: policy.paymentCount,
    totalPaid: policy.totalPaid.toString(),
    lastPaymentAt: policy.lastPaidAt,
    tokenMint: policy.tokenMint,
    wallet: policy.walletPublicKey,
    trackingId: policy.trackingId,
    nextPaymentDue: policy.nextPaymentDue,
  }
}
