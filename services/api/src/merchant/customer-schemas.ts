import { DELIVERY_STATES } from '@payment-tracking/domain'
import {
  dueOf,
  ENTRY_TYPES,
  SUBSCRIBER_STATES,
  type CustomerDue,
  type Subscriber,
  type TimelinePage,
} from '@payment-tracking/store/reads'
import { Type, type Static } from 'typebox'
import { Integer, Moment, Nullable, PublicKey, Signature, Text } from '../http/fields.js'
import { DueRiskRecord, toDueRiskRecord } from '../policies/due-risk-record.js'
import { Amount, TokenMint } from './merchant-schemas.js'

/** The first that applies. */
export const SubscriberStateField = () =>
  Type.Enum([...SUBSCRIBER_STATES], {
    description:
      'The first that applies: `overdue` (a policy is), `at_risk` (the next payment of a policy is), `active` (it has an active policy), `ended` (it paid once, and nothing is active any more), `never_paid`.',
  })

const SUBSCRIBER_FIELDS = {
  wallet: PublicKey('who pays'),
  name: Nullable(Text('what the gateway calls the wallet; shown to the gateway alone', 'Café Krone')),
  state: SubscriberStateField(),
  policyCount: Integer('its policies with the gateway, at most 1,000', 1),
  tokenMint: Nullable(PublicKey('the token it pays most often in, which `totalPaid` is of')),
  totalPaid: Amount('sum of its payments in that token'),
  lastActiveAt: Nullable(Integer('Unix time in seconds of its last payment', 1794697200)),
  byToken: Type.Array(
    Type.Object(
      { tokenMint: TokenMint, paymentCount: Integer('payments', 10), totalPaid: Amount('their sum') },
      { title: 'SubscriberToken' },
    ),
    { description: 'Most payments first, at most 100 tokens.' },
  ),
  oneTime: Type.Boolean({
    description: 'it never had a policy of the gateway but one-time ones: it bought, and did not subscribe',
  }),
  due: Nullable(
    Type.Object(
      {
        policyAddress: PublicKey('the policy'),
        dueAt: Integer('Unix time in seconds; it may have passed', 1795262400),
        amount: Nullable(Amount('to be paid')),
        tokenMint: TokenMint,
        recipient: Nullable(PublicKey('who is paid')),
        dueRisk: DueRiskRecord,
      },
      {
        title: 'CustomerDue',
        description:
          'Of the 5 payments that it owes first: the one that is at risk, or else the earliest. Null where it owes none.',
      },
    ),
  ),
  complete: Type.Boolean({
    description:
      'false: the wallet has more payments, and only the newest 10,000 are counted, or more tokens',
  }),
}

const SubscriberRecord = Type.Object(SUBSCRIBER_FIELDS, { title: 'Subscriber' })

export const Subscribers = Type.Object(
  {
    items: Type.Array(SubscriberRecord),
    total: Nullable(
      Integer(
        'of all pages; null beyond 10,000, behind the first page of a filter, and where counting would cost more than the page',
        1,
      ),
    ),
  },
  { title: 'Subscribers' },
)

/** Of `PUT …/subscribers/:wallet`. */
export const CustomerName = Type.Object(
  {
    name: Nullable(
      Type.String({
        format: 'customer-name',
        description: 'what the gateway calls the wallet, 1 to 64 characters; null: nothing any more',
        examples: ['Café Krone'],
      }),
    ),
  },
  { title: 'CustomerName', additionalProperties: false },
)

const EntryDelivery = Type.Object(
  {
    id: Integer('assigned by the service'),
    webhookId: Integer('the webhook it goes to'),
    type: Text('what it tells', 'payment.executed'),
    status: Type.Enum([...DELIVERY_STATES], { description: 'where the delivery stands' }),
    attempts: Type.Integer({ description: 'requests so far, over all cycles' }),
    createdAt: Moment('when it was made'),
    finishedAt: Nullable(Moment('when it ended')),
  },
  { title: 'EntryDelivery' },
)

const Entry = Type.Object(
  {
    type: Type.Enum([...ENTRY_TYPES], { description: 'what happened' }),
    at: Integer(
      'Unix time in seconds: of a payment its own, of other events that of their block',
      1794697200,
    ),
    eventId: Nullable(Text('the event that tells it; null for what time does')),
    signature: Nullable(Signature('the transaction of that event')),
    policyAddress: Nullable(PublicKey('the policy; null for a payment without one')),
    trackingId: Nullable(Text('of the payment or the policy', 'order-4711')),
    tokenMint: TokenMint,
    amount: Nullable(Amount('of a payment')),
    dueAt: Nullable(Integer('the due date that was missed or is at risk, Unix time in seconds', 1795262400)),
    cause: Nullable(Text('why a due payment will not come, where that is known', 'insufficient_balance')),
    deliveries: Type.Array(EntryDelivery, { description: 'What webhooks were told of it, oldest first.' }),
  },
  { title: 'TimelineEntry' },
)

export const SubscriberTimeline = Type.Object(
  {
    ...SUBSCRIBER_FIELDS,
    items: Type.Array(Entry, { description: 'Newest first.' }),
  },
  { title: 'SubscriberTimeline' },
)

/** @param dues what `readCustomerDues` says of the policies that are due */
export function toSubscriber(
  {
    wallet,
    name,
    state,
    policyCount,
    isOneTime,
    lastActiveAt,
    due: addresses,
    byToken,
    complete,
  }: Subscriber,
  dues: ReadonlyMap<string, CustomerDue> = new Map(),
): Static<typeof SubscriberRecord> {
  const due = dueOf(addresses, dues)
  const tokens = byToken.map(token => ({ ...token, totalPaid: token.totalPaid.toString() }))
  const [first] = tokens
  return {
    wallet,
    name,
    state,
    policyCount,
    tokenMint: first?.tokenMint ?? null,
    totalPaid: first?.totalPaid ?? '0',
    lastActiveAt,
    byToken: tokens,
    oneTime: isOneTime,
    due: due && {
      policyAddress: due.policyAddress,
      dueAt: due.dueAt,
      amount: due.amount === null ? null : due.amount.toString(),
      tokenMint: due.tokenMint,
      recipient: due.recipient,
      dueRisk: toDueRiskRecord(due.risk),
    },
    complete,
  }
}

export const toTimeline = (
  subscriber: Subscriber,
  { items, complete }: TimelinePage,
  dues: ReadonlyMap<string, CustomerDue>,
): Static<typeof SubscriberTimeline> => ({
  ...toSubscriber({ ...subscriber, complete: subscriber.complete && complete }, dues),
  items: items.map(({ atMs, id: _, messageId: __, amount, deliveries, ...entry }) => ({
    ...entry,
    at: Math.floor(atMs / 1_000),
    amount: amount === null ? null : amount.toString(),
    deliveries: deliveries.map(({ createdAt, finishedAt, ...delivery }) => ({
      ...delivery,
      createdAt: createdAt.toISOString(),
      finishedAt: finishedAt?.toISOString() ?? null,
    })),
  })),
})
