import { listOneTimePayments, type StoredOneTimePayment } from '@payment-tracking/store'
import { Type } from 'typebox'
import { READ_REFUSALS } from '../schemas/error-answer.js'
import { Nullable, PublicKey, Text, TrackingId } from '../schemas/fields.js'
import { OneTimePayment, toOneTimePayment } from '../schemas/one-time-payment.js'
import { FinalityField } from '../schemas/payment-fields.js'
import type { AddRoutes } from './add-routes.js'

const CheckQuery = Type.Object({
  trackingId: TrackingId('what the payer was asked to pay by'),
  recipient: Type.Optional(PublicKey('who must have been paid')),
  tokenMint: Type.Optional(PublicKey('the token that must have been paid in')),
  amount: Type.Optional(
    Type.String({
      format: 'amount',
      description: "the least that one payment must have paid, in the token's smallest unit",
      examples: ['404000000'],
    }),
  ),
  finality: Type.Optional(FinalityField),
})

interface Wanted {
  recipient?: string
  tokenMint?: string
  amount?: string
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

const Check = Type.Object(
  {
    paid: Type.Boolean({ description: 'one payment is all that was asked for' }),
    payments: Type.Array(OneTimePayment, { description: 'those that are, newest first' }),
    mismatches: Type.Array(Mismatch, {
      description: 'for every other payment of the tracking ID, each field that is not as it must be',
    }),
  },
  { title: 'PaymentCheck' },
)

/**
 * The most payments whose mismatches an answer lists: anyone can write any memo, and no customer pays an order so
 * often.
 */
const MOST = 1_000
/** Small payments of strangers must not hide the one matching payment: this many payments are searched for a match. */
const MOST_SEARCHED = 20_000

/** Each field in which a payment differs from the request. */
function mismatchesOf({ payment, finality }: StoredOneTimePayment, wanted: Wanted) {
  const actual = { ...payment, finality }
  const isMet = {
    recipient: () => payment.recipient === wanted.recipient,
    tokenMint: () => payment.tokenMint === wanted.tokenMint,
    amount: () => BigInt(payment.amount) >= BigInt(wanted.amount!),
    finality: () => finality === 'finalized' || wanted.finality === 'confirmed',
  }
  return CHECKED.flatMap(field => {
    const expected = wanted[field]
    return expected === undefined || isMet[field]() ? [] : [{ field, expected, actual: actual[field] }]
  })
}

/** Whether an order was paid: a shop's check before it ships. */
export const paymentCheckRoute: AddRoutes = (app, { store, tokens }) => {
  app.get(
    '/v1/payments/check',
    {
      schema: {
        operationId: 'checkPayment',
        tags: ['payments'],
        summary: 'Check whether a tracking ID was paid',
        description:
          'Anyone can write any memo: ask for recipient, token and amount, and ship when `paid` is true. One payment must be all that was asked for; payments are not added up. What was retracted does not count.',
        querystring: CheckQuery,
        response: { 200: Check, ...READ_REFUSALS },
      },
    },
    async request => {
      const { trackingId, ...wanted } = request.query
      // Most tracking IDs have one or two payments; the next page is read only if the first page is full.
      const check = async (limit: number, offset: number) =>
        (await listOneTimePayments(store, trackingId, { limit, offset })).map(stored => ({
          payment: toOneTimePayment(stored, tokens),
          mismatches: mismatchesOf(stored, wanted),
        }))
      const isPaid = (page: { mismatches: unknown[] }[]) =>
        page.some(({ mismatches }) => mismatches.length === 0)
      let checked = await check(10, 0)
      if (checked.length === 10) checked = await check(MOST, 0)
      let page = checked
      for (let at = MOST; page.length === MOST && !isPaid(checked) && at < MOST_SEARCHED; at += MOST) {
        page = await check(MOST, at)
        checked = [...checked, ...page.filter(({ mismatches }) => mismatches.length === 0)]
      }
      const payments = checked
        .filter(({ mismatches }) => mismatches.length === 0)
        .map(({ payment }) => payment)
      return {
        paid: payments.length > 0,
        payments,
        mismatches: checked.flatMap(({ payment, mismatches }) =>
          mismatches.map(mismatch => ({ ...mismatch, payment })),
        ),
      }
    },
  )
}
