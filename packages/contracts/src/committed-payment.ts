import { Type, type Static } from 'typebox'

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()])

/**
 * A payment as committed to Postgres, with everything that sockets and webhooks need. Integers that a u64 can hold are
 * decimal strings; each protocol writes them in its own form.
 */
export const CommittedPayment = Type.Object({
  eventId: Type.String(),
  position: Type.String({ description: 'commit position in the stream of all events' }),
  trackingId: Nullable(Type.String()),
  seq: Nullable(Type.Integer({ minimum: 1, description: 'counts the payments of the tracking ID from 1' })),
  signature: Type.String(),
  slot: Type.Integer({ minimum: 1 }),
  occurredAt: Type.String({ description: "ISO 8601 with milliseconds: the event's timestamp" }),
  paidAt: Type.String({ description: 'Unix seconds, as a decimal string (i64)' }),
  paymentPolicy: Type.String(),
  gateway: Type.String(),
  amount: Type.String({ description: 'smallest token unit, as a decimal string (u64)' }),
  recordId: Type.Integer(),
  recipient: Nullable(Type.String()),
  payer: Nullable(Type.String()),
  tokenMint: Nullable(Type.String()),
  memo: Type.Optional(
    Type.String({
      description: 'what the memo says when it is no tracking ID; absent when it says nothing else',
    }),
  ),
  retracted: Type.Optional(
    Type.Boolean({ description: 'the finalized chain does not hold its transaction; absent is false' }),
  ),
})
export type CommittedPayment = Static<typeof CommittedPayment>
