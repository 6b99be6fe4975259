// What a gateway expects, as it is sent and answered.
import { EXPECTATION_STATES, MOST_LISTED_PAYMENTS, type ExpectationRecord } from '@payment-tracking/domain'
import type { NewExpectation } from '@payment-tracking/store/admin'
import { Type, type Static, type TSchema } from 'typebox'
import { ApiError } from '../http/api-errors.js'
import { readTime } from '../http/read-time.js'
import { Integer, Moment, Nullable, PublicKey, Text, TrackingId } from '../http/fields.js'

const MOST_DAYS = 366
const DAY_MS = 86_400_000

const Reference = Type.String({
  format: 'reference',
  description: "the merchant's own, at most 64 bytes; told to the gateway alone",
  examples: ['cart-19'],
})

export const NewExpectationBody = Type.Object(
  {
    trackingId: TrackingId('the memo that the payer is given'),
    recipient: PublicKey('who must be paid'),
    tokenMint: PublicKey('the token that must be paid in'),
    amount: Type.Unsafe<string>({
      anyOf: [
        { type: 'integer', minimum: 1 },
        { type: 'string', format: 'expected-amount' },
      ],
      description:
        "what must be paid in the token's smallest unit, from 1 to 2^64-1: an integer, or its digits as a text",
      examples: ['404000000'],
    }),
    expiresAt: Type.Optional(
      Nullable(
        Type.String({
          description: `ISO 8601: until when it must be paid, at most ${MOST_DAYS} days ahead. A date without a time means until the end of that day (UTC). Without it for ever`,
          examples: ['2026-11-14T23:00:00.000Z'],
        }),
      ),
    ),
    reference: Type.Optional(Nullable(Reference)),
  },
  { additionalProperties: false },
)

export const toNewExpectation = (
  gateway: string,
  { expiresAt, amount, reference, ...terms }: Static<typeof NewExpectationBody>,
): NewExpectation => ({
  gateway,
  ...terms,
  amount: BigInt(amount),
  expiresAt: expiresAt === undefined || expiresAt === null ? null : readTime('expiresAt', expiresAt, 'up'),
  reference: reference ?? null,
})

/** @throws ApiError for one that is new; the same again is answered also when its time is over */
export function checkEnd({ expiresAt }: NewExpectation, nowMs: number): void {
  if (expiresAt === null) return
  const aheadMs = expiresAt.getTime() - nowMs
  if (aheadMs <= 0 || aheadMs > MOST_DAYS * DAY_MS)
    throw new ApiError(
      'INVALID_BODY',
      `Field expiresAt must be in the future, and at most ${MOST_DAYS} days ahead.`,
    )
}

export const State = Type.Enum([...EXPECTATION_STATES], {
  description:
    '`open`: nothing was paid; `underpaid`, `paid`, `overpaid`: the sum of what counts; `expired`: `expiresAt` has passed and the sum is below; `cancelled`: nothing counts any more',
})

const PUBLIC_FIELDS = {
  id: Type.String({
    format: 'uuid',
    description: 'names the expectation, for everybody who knows it',
    examples: ['6f1b2f5e-8d0f-4c50-9c1f-1f2a3b4c5d6e'],
  }),
  gateway: PublicKey('the gateway that expects it'),
  trackingId: TrackingId('the memo that counts'),
  recipient: PublicKey('the recipient that counts'),
  tokenMint: PublicKey('the token that counts'),
  amount: Integer("what is expected, in the token's smallest unit", 404000000),
  amountString: Text('the same as a text', '404000000'),
  state: State,
  paidAmount: Integer('the sum of the payments that count', 404000000),
  paidAmountString: Text('the same as a text', '404000000'),
  paymentCount: Integer('how many payments count', 1),
  late: Type.Boolean({ description: 'it was met, and not by the payments up to `expiresAt` alone' }),
  finality: Nullable(
    Type.Enum(['confirmed', 'finalized'], {
      description: '`finalized` when every payment that counts is final; null while none counts',
    }),
  ),
  payments: Type.Array(Text('`id` of an event'), {
    maxItems: MOST_LISTED_PAYMENTS,
    description: `the payments that count, the newest first, at most ${MOST_LISTED_PAYMENTS}`,
  }),
}
const LAST_FIELDS = {
  createdAt: Moment('when it was created'),
  expiresAt: Nullable(Moment('until when it must be paid')),
  changedAt: Moment('when the state or the sum changed last: another time for each change'),
  eventId: Nullable(
    Text(
      '`id` of the payment that changed it last, or that was taken back; null where the clock or the gateway did',
    ),
  ),
}
const OWN = { reference: Nullable(Reference) }

export const ExpectationFields = { ...PUBLIC_FIELDS, ...OWN, ...LAST_FIELDS } satisfies Record<
  keyof ExpectationRecord,
  TSchema
>
export const ExpectationAnswer = Type.Object(ExpectationFields, { title: 'Expectation' })
export const PublicExpectationAnswer = Type.Object(
  { ...PUBLIC_FIELDS, ...LAST_FIELDS },
  { title: 'PublicExpectation' },
)

export const toExpectationAnswer = ({
  payments,
  ...record
}: ExpectationRecord): Static<typeof ExpectationAnswer> => ({ ...record, payments: [...payments] })
