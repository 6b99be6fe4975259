import {
  checkPayments,
  listOneTimePayments,
  MOST_CHECKED,
  type CheckedPayments,
  type StoredOneTimePayment,
} from '@payment-tracking/store/reads'
import { Type } from 'typebox'
import { READ_REFUSALS } from '../http/error-answer-schema.js'
import { Nullable, PublicKey, Text, TrackingId } from '../http/fields.js'
import { OneTimePayment, PaymentRecord } from './one-time-payment.js'
import { FinalityField } from '../events/payment-fields.js'
import type { AddRoutes } from '../route-parts.js'

const CheckQuery = Type.Object({
  trackingId: TrackingId('what the payer was asked to pay by'),
  recipient: PublicKey('who must have been paid'),
  tokenMint: PublicKey('the token that must have been paid in'),
  amount: Type.String({
    format: 'amount',
    description: "the least that one payment must have paid, in the token's smallest unit",
    examples: ['404000000'],
  }),
  finality: Type.Optional(FinalityField),
})

interface Wanted {
  recipient: string
  tokenMint: string
  amount: string
  finality?: string
}

const CHECKED = ['recipient', 'tokenMint', 'amount', 'finality'] as const

const Mismatch = Type.Object(
  {
    field: Type.String({ enum: [...CHECKED], description: 'what is not as it must be' }),
    expected: Text('what was asked for', '404000000'),
    actual: Nullable(Text('what the payment has; null when nobody has told us', '1000')),
    payment: OneTimePayment,
  },
  { title: 'PaymentMismatch' },
)

/** A record of the examples of its fields. */
const EXAMPLE = Object.fromEntries(
  Object.entries(PaymentRecord.properties).flatMap(([name, field]) => {
    const { examples, anyOf } = field as { examples?: unknown[]; anyOf?: { examples?: unknown[] }[] }
    return name === 'retracted' ? [] : [[name, (examples ?? anyOf?.[0]?.examples)?.[0]]]
  }),
)

const Check = Type.Object(
  {
    paid: Type.Boolean({ description: 'one payment is all that was asked for' }),
    payments: Type.Array(OneTimePayment, {
      maxItems: MOST_CHECKED,
      description: `the newest of those that are, at most ${MOST_CHECKED}`,
    }),
    paymentCount: Type.Integer({ description: 'how many are', examples: [1] }),
    mismatches: Type.Array(Mismatch, {
      maxItems: MOST_CHECKED,
      description: `for the newest other payments of the tracking ID, each field that is not as it must be; at most ${MOST_CHECKED}`,
    }),
    mismatchCount: Type.Integer({
      description: 'how many fields of all other payments are not',
      examples: [0],
    }),
  },
  {
    title: 'PaymentCheck',
    examples: [{ paid: true, payments: [EXAMPLE], paymentCount: 1, mismatches: [], mismatchCount: 0 }],
  },
)

/** Most tracking IDs have one or two payments: so many are compared here, and more by Postgres. */
const FEW = 10

/** Each field in which a payment differs from the request. */
function mismatchesOf(payment: StoredOneTimePayment, wanted: Wanted) {
  const isMet = {
    recipient: () => payment.recipient === wanted.recipient,
    tokenMint: () => payment.tokenMint === wanted.tokenMint,
    amount: () => BigInt(payment.amount) >= BigInt(wanted.amount),
    finality: () => payment.finality === 'finalized' || wanted.finality === 'confirmed',
  }
  return CHECKED.flatMap(field => {
    const expected = wanted[field]
    return expected === undefined || isMet[field]() ? [] : [{ field, expected, actual: payment[field] }]
  })
}

/** What `checkPayments` answers, for all payments of a tracking ID. */
function compare(stored: readonly StoredOneTimePayment[], wanted: Wanted): CheckedPayments {
  const lacks = stored.map(payment => ({ payment, count: mismatchesOf(payment, wanted).length }))
  const payments = lacks.filter(({ count }) => count === 0).map(({ payment }) => payment)
  return {
    payments,
    paymentCount: payments.length,
    others: lacks.filter(({ count }) => count > 0).map(({ payment }) => payment),
    mismatchCount: lacks.reduce((sum, { count }) => sum + count, 0),
  }
}

/** Whether an order was paid: a shop's check before it ships. */
export const paymentCheckRoute: AddRoutes = (app, { tokens }) => {
  app.get(
    '/v1/payments/check',
    {
      config: { reads: 'replicas' },
      schema: {
        operationId: 'checkPayment',
        tags: ['payments'],
        summary: 'Check a payment',
        description:
          'Anyone can write any memo: name the tracking ID, recipient, token and amount, all of them, and ship when `paid` is true. One payment must be all that was asked for; payments are not added up. What was retracted does not count.',
        querystring: CheckQuery,
        response: { 200: Check, ...READ_REFUSALS },
      },
    },
    async request => {
      const { store } = request
      const { trackingId, ...wanted } = request.query
      const few = await listOneTimePayments(store, trackingId, { limit: FEW + 1, offset: 0 }, tokens)
      const checked =
        few.length > FEW ? await checkPayments(store, trackingId, wanted, tokens) : compare(few, wanted)
      const mismatches = checked.others.flatMap(stored =>
        mismatchesOf(stored, wanted).map(mismatch => ({ ...mismatch, payment: stored.record })),
      )
      return {
        paid: checked.paymentCount > 0,
        payments: checked.payments.map(({ record }) => record),
        paymentCount: checked.paymentCount,
        mismatches: mismatches.slice(0, MOST_CHECKED),
        mismatchCount: checked.mismatchCount,
      }
    },
  )
}
