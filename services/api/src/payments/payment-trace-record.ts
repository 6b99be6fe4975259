import type { PaymentTrace, TracedDelivery, TracedWait } from '@payment-tracking/store/reads'
import { Type, type Static } from 'typebox'
import { Integer, Moment, Nullable, PublicKey, Text } from '../http/fields.js'

const Attempt = Type.Object(
  {
    number: Integer('1 is the first try', 1),
    startedAt: Moment('when the request was about to leave'),
    finishedAt: Nullable(Moment('when it was answered or given up')),
    outcome: Nullable(Text('how it ended')),
    statusCode: Nullable(Integer('what the endpoint answered', 200)),
    error: Nullable(Text('what it failed of: `timeout`, `unreachable` …; `status` where the answer says it')),
  },
  { title: 'TracedAttempt' },
)

const Delivery = Type.Object(
  {
    deliveryId: Integer('the delivery', 17),
    webhookId: Integer('the webhook it is for', 3),
    state: Text('`pending`, `waiting`, `delivered`, `failed` or `cancelled`', 'delivered'),
    createdAt: Moment('when it was decided, together with the payment'),
    finishedAt: Nullable(Moment('when it ended')),
    heldReason: Nullable(Text('why it is deferred')),
    attempts: Integer('how many attempts there were, at most 100', 1),
    attemptLog: Type.Array(Attempt, { description: 'The newest 100, in their order.' }),
  },
  { title: 'TracedDelivery' },
)

const Wait = Type.Object(
  {
    webhookId: Integer('the webhook that is told later', 3),
    awaits: Type.String({
      enum: ['facts', 'finality'],
      description:
        '`facts`: the recipient or token that its filters need is not known yet; `finality`: the payment is not final yet',
    }),
  },
  { title: 'TracedWait' },
)

export const PaymentTraceRecord = Type.Object(
  {
    eventId: Text('the payment, as everywhere', '0f0e7a52-5d0c-8c51-9f6e-6d8a6e0b1c11'),
    trackingId: Nullable(Text('its tracking ID', 'order-4711')),
    paymentPolicy: PublicKey('the policy that was paid by'),
    gateway: PublicKey('the gateway that executed it'),
    amount: Integer("amount in the token's smallest unit", 404000000),
    recordId: Integer('number of the payment since its policy was created', 10),
    chain: Type.Object(
      {
        slot: Integer('blockchain slot', 452091000),
        timestamp: Moment('when the indexer says it happened'),
        paidAt: Integer('when the program says it happened, Unix seconds', 1794697200),
      },
      { title: 'ChainStage' },
    ),
    stream: Type.Object(
      { sequence: Integer("number of the indexer's message in the stream", 593) },
      { title: 'StreamStage' },
    ),
    stored: Type.Object(
      {
        at: Nullable(Moment('when its transaction was written; null when that is too long ago to be known')),
        position: Integer('its place in commit order', 509),
        seq: Nullable(Integer('its place among the payments of its tracking ID', 10)),
      },
      { title: 'StoredStage' },
    ),
    announced: Type.Object(
      {
        at: Nullable(
          Moment(
            'when sockets were told and deliveries enqueued; null while that is still to do, and when it is too long ago to be known',
          ),
        ),
        done: Type.Boolean({ description: 'whether sockets were told and deliveries enqueued' }),
      },
      { title: 'AnnouncedStage' },
    ),
    deliveries: Type.Optional(
      Type.Array(Delivery, { description: "only with the gateway's own token, and only its own" }),
    ),
    awaiting: Type.Optional(
      Type.Array(Wait, { description: "only with the gateway's own token: webhooks without a delivery yet" }),
    ),
  },
  { title: 'PaymentTrace', description: 'What became of a payment, stage by stage.' },
)
export type PaymentTraceRecord = Static<typeof PaymentTraceRecord>

const iso = (moment: Date | null): string | null => moment?.toISOString() ?? null

const toDelivery = (delivery: TracedDelivery) => ({
  deliveryId: delivery.deliveryId,
  webhookId: delivery.webhookId,
  state: delivery.state,
  createdAt: delivery.createdAt.toISOString(),
  finishedAt: iso(delivery.finishedAt),
  heldReason: delivery.heldReason,
  attempts: delivery.attempts.length,
  attemptLog: delivery.attempts.map(attempt => ({
    number: attempt.number,
    startedAt: attempt.startedAt.toISOString(),
    finishedAt: iso(attempt.finishedAt),
    outcome: attempt.outcome,
    statusCode: attempt.statusCode,
    error: attempt.error,
  })),
})

/** @param own what the caller may see of deliveries; null hides even their existence */
export const toTraceRecord = (
  trace: PaymentTrace,
  own: { deliveries: TracedDelivery[]; waits: readonly TracedWait[] } | null,
): PaymentTraceRecord => ({
  eventId: trace.eventId,
  trackingId: trace.trackingId,
  paymentPolicy: trace.paymentPolicy,
  gateway: trace.gateway,
  amount: trace.amount,
  recordId: trace.recordId,
  chain: { slot: trace.slot, timestamp: trace.occurredAt.toISOString(), paidAt: trace.paidAt },
  stream: { sequence: trace.streamSequence },
  stored: { at: iso(trace.committedAt), position: trace.position, seq: trace.seq },
  announced: { at: iso(trace.relayedAt), done: trace.isAnnounced },
  ...(own === null
    ? {}
    : {
        deliveries: own.deliveries.filter(({ eventId }) => eventId === trace.eventId).map(toDelivery),
        awaiting: own.waits
          .filter(({ eventId }) => eventId === trace.eventId)
          .map(({ webhookId, awaits }) => ({ webhookId, awaits })),
      }),
})
