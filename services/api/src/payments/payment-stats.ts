import { readPaymentStats, type PaymentStats, type TokenStats } from '@payment-tracking/store/reads'
import { Type } from 'typebox'
import { nameMissingFilter } from '../http/name-missing-filter.js'
import { READ_REFUSALS } from '../http/error-answer-schema.js'
import { readTimeBounds, TimeBounds } from '../events/event-query.js'
import { Integer, Moment, Nullable, PublicKey } from '../http/fields.js'
import type { AddRoutes } from '../route-parts.js'

const Stats = Type.Object(
  {
    count: Integer('how many payments', 94),
    totalAmount: Nullable(
      Integer('sum of their amounts; null when they are of more than one token: see `byToken`', 21587000000),
    ),
    averageAmount: Nullable(
      Integer('rounded down; 0 where there is no payment, null for more than one token', 280350649),
    ),
    averagePayment: Nullable(Integer('the same as averageAmount', 280350649)),
    minAmount: Nullable(Integer('smallest amount; null for more than one token', 5000000)),
    maxAmount: Nullable(Integer('largest amount; null for more than one token', 488000000)),
    firstPaymentAt: Nullable(Moment('time of the first')),
    lastPaymentAt: Nullable(Moment('time of the last')),
    byToken: Type.Array(
      Type.Object(
        {
          tokenMint: Nullable(PublicKey('the token; null for payments whose token is not known')),
          count: Integer('how many payments in this token', 94),
          totalAmount: Integer("sum of their amounts in the token's smallest unit", 21587000000),
          averageAmount: Integer('rounded down', 280350649),
          minAmount: Nullable(Integer('smallest amount', 5000000)),
          maxAmount: Nullable(Integer('largest amount', 488000000)),
        },
        { title: 'TokenStats' },
      ),
      { description: 'Most payments first, at most 1,000 tokens. The figures above count every token.' },
    ),
  },
  { title: 'PaymentStats' },
)

const averageOf = ({ count, total }: { count: bigint; total: bigint }): bigint =>
  count === 0n ? 0n : total / count

const NO_TOKEN = { count: 0n, total: 0n, min: null, max: null }

const toAmounts = (token: Omit<TokenStats, 'tokenMint'>) => ({
  totalAmount: token.total,
  averageAmount: averageOf(token),
  minAmount: token.min,
  maxAmount: token.max,
})

/** Amounts of different tokens are never added or compared; an unknown token counts as a token of its own. */
const ofAllTokens = ([token = NO_TOKEN, ...others]: readonly Omit<TokenStats, 'tokenMint'>[]) =>
  others.length > 0
    ? { totalAmount: null, averageAmount: null, averagePayment: null, minAmount: null, maxAmount: null }
    : { ...toAmounts(token), averagePayment: averageOf(token) }

const toStats = ({ count, firstAt, lastAt, byToken }: PaymentStats) => ({
  count,
  ...ofAllTokens(byToken),
  firstPaymentAt: firstAt?.toISOString() ?? null,
  lastPaymentAt: lastAt?.toISOString() ?? null,
  byToken: byToken.map(token => ({ tokenMint: token.tokenMint, count: token.count, ...toAmounts(token) })),
})

/** Sums over payments, of a gateway or of all. */
export const paymentStatsRoute: AddRoutes = app => {
  app.get(
    '/v1/events/payments/stats',
    {
      config: { reads: 'replicas' },
      schema: {
        operationId: 'getPaymentStats',
        tags: ['payments'],
        summary: 'Get payment statistics',
        description:
          'Amounts of different tokens are never added or compared: the figures outside `byToken` are null when the payments are of several tokens.',
        querystring: Type.Object({ gateway: Type.Optional(PublicKey('only its payments')), ...TimeBounds }),
        response: { 200: Stats, ...READ_REFUSALS },
      },
    },
    async request => {
      const filter = { gateway: request.query.gateway, ...readTimeBounds(request.query) }
      return toStats(await readPaymentStats(request.store, filter).catch(nameMissingFilter(filter)))
    },
  )
}
