import { DELIVERY_STATES } from '@payment-tracking/domain'
import {
  ENTRY_TYPES,
  SUBSCRIBER_STATES,
  type Subscriber,
  type TimelinePage,
} from '@payment-tracking/store/reads'
import { Type, type Static } from 'typebox'
import { Integer, Moment, Nullable, PublicKey, Signature, Text } from '../http/fields.js'
import { Amount, TokenMint } from './merchant-schemas.js'

/** The first that applies. */
export const SubscriberStateField = () =>
  Type.Enum([...SUBSCRIBER_STATES], {
    description:
      'The first that applies: `overdue` (a policy is), `at_risk` (the next payment of a policy is), `active` (it has an active policy), `ended` (it paid once, and nothing is active any more), `never_paid`.',
  })

const SUBSCRIBER_FIELDS = {
  wallet: PublicKey('who pays'),
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

export function toSubscriber({
  wallet,
  state,
  policyCount,
  lastActiveAt,
  byToken,
  complete,
}: Subscriber): Static<typeof SubscriberRecord> {
  const tokens = byToken.map(token => ({ ...token, totalPaid: token.totalPaid.toString() }))
  const [first] = tokens
  return {
    wallet,
    state,
    policyCount,
    tokenMint: first?.tokenMint ?? null,
    totalPaid: first?.totalPaid ?? '0',
    lastActiveAt,
    byToken: tokens,
    complete,
  }
}

export const toTimeline = (
  subscriber: Subscriber,
  { items, complete }: TimelinePage,
): Static<typeof SubscriberTimeline> => ({
  ...toSubscriber({ ...subscriber, complete: subscriber.complete && complete }),
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
