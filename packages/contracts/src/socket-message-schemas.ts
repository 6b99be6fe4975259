// What the service emits, as schemas: for the AsyncAPI document, and for tests of what was sent. The types that the client is
// packed with stand in socket-messages.ts, without a dependency; the compiler compares the two.
import { Type, type Static, type TSchema } from 'typebox'
import {
  SOCKET_ERROR_CODES,
  type LifecycleMessage,
  type ServerToClientEvents,
  type SocketPayment,
  type SubscribeReply,
  type UnsubscribeReply,
} from './socket-messages.js'

const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const Text = (description: string) => Type.String({ description })
const Count = (description: string) => Type.Integer({ minimum: 0, description })

const trackingId = Text('the memo')
const seq = Type.Integer({
  minimum: 1,
  description: 'counts the payments of the tracking ID from 1, no holes',
})
const eventId = Text('`id` of its event record')
const signature = Text('the transaction')
const timestamp = Type.Integer({ description: 'milliseconds since the Unix epoch, when it was sent' })

export const SocketPaymentSchema = Type.Object(
  {
    trackingId,
    amount: Type.Number({ description: "in the token's smallest unit: the nearest double" }),
    amountString: Type.String({ pattern: '^[0-9]+$', description: 'the same, exact' }),
    timestamp: Type.Integer({ description: 'Unix seconds, by the program' }),
    status: Type.Literal('executed'),
    signature,
    slot: Type.Integer({ minimum: 1 }),
    gateway: Text('public key of the gateway'),
    paymentPolicy: Text('public key of the policy'),
    recipient: Nullable(Text('who was paid; null while no event has said')),
    payer: Nullable(Text('who paid')),
    tokenMint: Nullable(Text('the token')),
    recordId: Type.Integer(),
    eventId,
    seq,
    position: Count('as `x-min-position` of a REST request, the answer knows this payment'),
    retracted: Type.Optional(
      Type.Literal(true, {
        description: 'in a replay: the finalized chain does not hold it; do not count it',
      }),
    ),
  },
  {
    title: 'SocketPayment',
    description: 'Anyone can write any memo: check `recipient`, `tokenMint` and `amountString`.',
  },
)

const EXPECTATION_STATES = ['open', 'underpaid', 'paid', 'overpaid', 'expired', 'cancelled'] as const
const exact = Type.String({ pattern: '^[0-9]+$', description: 'the same, exact' })

export const SocketExpectationSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'whoever knows it may see the expectation' }),
    gateway: Text('the gateway that expects it'),
    trackingId,
    recipient: Text('the recipient that counts'),
    tokenMint: Text('the token that counts'),
    amount: Type.Number({
      description: "what is expected, in the token's smallest unit: the nearest double",
    }),
    amountString: exact,
    state: Type.Enum([...EXPECTATION_STATES], {
      description: 'what the sum of the payments that count makes of it',
    }),
    paidAmount: Type.Number({ description: 'the sum of the payments that count: the nearest double' }),
    paidAmountString: exact,
    paymentCount: Count('how many payments count'),
    late: Type.Boolean({ description: 'met, and not by the payments up to `expiresAt` alone' }),
    finality: Nullable(Type.Enum(['confirmed', 'finalized'], { description: 'of all that counts' })),
    payments: Type.Array(eventId, { maxItems: 100, description: 'the newest that count' }),
    createdAt: Text('ISO 8601'),
    expiresAt: Nullable(Text('ISO 8601; null is never')),
    changedAt: Text('ISO 8601: another time for each change of the state or the sum'),
    eventId: Nullable(
      Text(
        'the payment that changed it last, or that was taken back; null where the clock or the gateway did',
      ),
    ),
  },
  { title: 'SocketExpectation' },
)

const Refusal = {
  code: Type.Enum([...SOCKET_ERROR_CODES], { description: 'docs/realtime.md explains each' }),
  message: Text('what is wrong'),
}
const message = <T extends string, D extends TSchema>(title: string, type: T, data: D) =>
  Type.Object({ type: Type.Literal(type), data, timestamp }, { title })
const refusalMessage = <T extends 'error' | 'refused'>(title: string, type: T) =>
  message(title, type, Type.Object({ ...Refusal, trackingId: Type.Optional(trackingId) }))

/** The argument of each event that the service emits. */
export const SERVER_EVENT_SCHEMAS = {
  payment: message('PaymentMessage', 'payment_notification', SocketPaymentSchema),
  retraction: message(
    'RetractionMessage',
    'retraction',
    Type.Object({ trackingId, seq, eventId, signature }),
  ),
  lifecycle: Type.Object(
    {
      id: Text('names the change: the same as `webhook-id`'),
      type: Text('`subscription.created` and so on'),
      data: Type.Object(
        {
          trackingId,
          paymentPolicy: Text('the policy'),
          status: Nullable(Text('`active`, `paused` or `completed`')),
        },
        { additionalProperties: true, description: 'as in the webhook of the same type' },
      ),
      timestamp,
    },
    { title: 'LifecycleMessage' },
  ),
  expectation: Type.Object(
    {
      type: Type.Literal('expectation'),
      data: SocketExpectationSchema,
      position: Nullable(
        Count(
          'as `x-min-position` of a REST request, the answer knows this change; null where the clock or the gateway changed it',
        ),
      ),
      timestamp,
    },
    { title: 'ExpectationMessage' },
  ),
  ack: message(
    'AckMessage',
    'ack',
    Text('`Subscribed to trackingId: …` or `Unsubscribed from trackingId: …`'),
  ),
  error: refusalMessage('ErrorMessage', 'error'),
  refused: refusalMessage('RefusedMessage', 'refused'),
  reconnect: message('ReconnectMessage', 'reconnect', Type.Object({ afterMs: Count('when to reconnect') })),
} as const satisfies Record<keyof ServerToClientEvents, TSchema>

const SubscribeRefusalSchema = Type.Object(
  { ok: Type.Literal(false), ...Refusal },
  { title: 'SubscribeRefusal' },
)

/** The arguments of the acknowledgement callbacks. */
export const REPLY_SCHEMAS = {
  subscribe: Type.Union([
    Type.Object(
      {
        ok: Type.Literal(true),
        head: Count('`seq` of the newest payment, 0 when there is none'),
        epoch: Text('names the database'),
        resume: Text('a secret that gives this seat to the same client after a reconnect'),
        recovered: Type.Boolean({ description: '`since` was given and could be honoured' }),
        replay: Type.Array(SocketPaymentSchema, { maxItems: 100 }),
        more: Type.Boolean({ description: 'subscribe again with `since: next`' }),
        next: Count('how far `replay` reaches'),
        expectation: Type.Optional(SocketExpectationSchema),
      },
      { title: 'Subscribed' },
    ),
    SubscribeRefusalSchema,
  ]),
  unsubscribe: Type.Union([
    Type.Object({ ok: Type.Literal(true) }, { title: 'Unsubscribed' }),
    SubscribeRefusalSchema,
  ]),
}

/** `event: reset` of `GET /v1/payments/stream`: the client's id is of another database. */
export const ResetMessageSchema = message(
  'ResetMessage',
  'reset',
  Type.Object({ trackingId, epoch: Text('names the database'), head: Count('`seq` of the newest payment') }),
)
export type ResetMessage = Static<typeof ResetMessageSchema>

type Same<A, B> = [A, B] extends [B, A] ? true : never
type Messages = { [E in keyof ServerToClientEvents]: Parameters<ServerToClientEvents[E]>[0] }
type Documented = { [E in keyof typeof SERVER_EVENT_SCHEMAS]: Static<(typeof SERVER_EVENT_SCHEMAS)[E]> }
/** Fails to compile when a schema and its type differ. */
export const SCHEMAS_ARE_TYPES: readonly [
  Same<Static<typeof SocketPaymentSchema>, SocketPayment>,
  Same<Omit<Documented, 'lifecycle'>, Omit<Messages, 'lifecycle'>>,
  Same<keyof Documented['lifecycle'], keyof LifecycleMessage>,
  Same<Static<typeof REPLY_SCHEMAS.subscribe>, SubscribeReply>,
  Same<Static<typeof REPLY_SCHEMAS.unsubscribe>, UnsubscribeReply>,
] = [true, true, true, true, true]
