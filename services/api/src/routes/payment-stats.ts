import { readPaymentStats, type PaymentStats } from '@payment-tracking/store'
import { Type } from 'typebox'
import { nameMissingFilter } from '../http/name-missing-filter.js'
import { READ_REFUSALS } from '../schemas/error-answer.js'
import { readTimeBounds, TimeBounds } from '../schemas/event-query.js'
import { Integer, Moment, Nullable, PublicKey } from '../schemas/fields.js'
import type { AddRoutes } from './add-routes.js'

const Stats = Type.Object(
  {
    count: Integer('how many payments', 94),
    totalAmount: Integer('sum of their amounts, in smallest units of whatever token each has', 21587000000),
    averageAmount: Integer('rounded down; 0 where there is no payment', 280350649),
    minAmount: Nullable(Integer('smallest amount', 5000000)),
    maxAmount: Nullable(Integer('largest amount', 488000000)),
    firstPaymentAt: Nullable(Moment('time of the first')),
    lastPaymentAt: Nullable(Moment('time of the last')),
    byToken: Type.Array(
      Type.Object(
        {
          tokenMint: Nullable(PublicKey('the token; null for payments whose token is not known')),
          count: Integer('how many payments in this token', 94),
          totalAmount: Integer("sum of their amounts in the token's smallest unit", 21587000000),
        },
        { title: 'TokenStats' },
      ),
      { description: 'Most payments first.' },
    ),
  },
  { title: 'PaymentStats' },
)

const toStats = (stats: PaymentStats) => ({
  count: stats.count,
  totalAmount: stats.total,
  averageAmount: stats.count === 0n ? 0n : stats.total / stats.count,
  minAmount: stats.min,
  maxAmount: stats.max,
  firstPaymentAt: stats.firstAt?.toISOString() ?? null,
  lastPaymentAt: stats.lastAt?.toISOString() ?? null,
  byToken: stats.byToken.map(({ tokenMint, count, total }) => ({ tokenMint, count, totalAmount: total })),
})

/** Sums over payments, of a gateway or of all. */
export const paymentStatsRoute: AddRoutes = (app, { store }) => {
  app.get(
    '/v1/events/payments/stats',
    {
      schema: {
        operationId: 'getPaymentStats',
        tags: ['payments'],
        summary: 'Payment statistics',
        querystring: Type.Object({ gateway: Type.Optional(PublicKey('only its payments')), ...TimeBounds }),
        response: { 200: Stats, ...READ_REFUSALS },
      },
    },
    async request => {
      const filter = { gateway: request.query.gateway, ...readTimeBounds(request.query) }
      return toStats(await readPaymentStats(store, filter).catch(nameMissingFilter(filter)))
    },
  )
}
