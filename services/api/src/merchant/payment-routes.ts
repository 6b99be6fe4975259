// The payments of a gateway as its accountant looks for them: by token, standing, amount and time, with their sums.
import {
  EVENT_CURSORS,
  findMerchantPayments,
  PAYMENT_ORDERS,
  PAYMENT_STANDINGS,
  sumMerchantPayments,
  type PaymentFilter,
} from '@payment-tracking/store/reads'
import { Type, type Static } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { EventRecord } from '../events/event-record.js'
import { readTimeBounds, TimeBounds } from '../events/event-query.js'
import type { GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { ClampedLimit, Cursor, Integer, Offset, PublicKey, TrackingId, Written } from '../http/fields.js'
import { offerNextPage, readKey } from '../http/list-cursor.js'
import { nameMissingFilter } from '../http/name-missing-filter.js'
import { MERCHANT_BASE, own, params, REFUSALS, security, tags } from './merchant-route.js'
import { Amount, TokenMint } from './merchant-schemas.js'
import type { RevenueParts } from './read-revenue.js'

/** A u64 in decimal digits. */
const AmountFilter = (description: string) =>
  Type.String({
    format: 'amount',
    description: `${description}, in the token's smallest unit`,
    examples: ['404000000'],
  })

export const PAYMENT_FILTERS = {
  tokenMint: Type.Optional(PublicKey('only payments in this token')),
  standing: Type.Optional(
    Type.Enum([...PAYMENT_STANDINGS], {
      description: 'only such payments; without it what was not retracted',
    }),
  ),
  minAmount: Type.Optional(AmountFilter('at least')),
  maxAmount: Type.Optional(AmountFilter('at most')),
  trackingId: Type.Optional(TrackingId('how the tracking ID begins')),
  ...TimeBounds,
}
const Filters = Type.Object(PAYMENT_FILTERS)

export function toPaymentFilter(query: Static<typeof Filters>): PaymentFilter {
  const { tokenMint, standing, minAmount, maxAmount, trackingId } = query
  return {
    tokenMint,
    standing,
    minAmount: minAmount === undefined ? undefined : BigInt(minAmount),
    maxAmount: maxAmount === undefined ? undefined : BigInt(maxAmount),
    trackingId,
    ...readTimeBounds(query),
  }
}

const MerchantPayments = Type.Object(
  {
    items: Type.Array(EventRecord, { description: 'In the order of `sort`.' }),
    byToken: Type.Array(
      Type.Object(
        { tokenMint: TokenMint, count: Integer('payments', 94), totalAmount: Amount('their sum') },
        { title: 'MerchantPaymentSum' },
      ),
      {
        description:
          'Of all that pass the filters, on whatever page; most payments first, at most 100 tokens.',
      },
    ),
    complete: Type.Boolean({
      description:
        'false when the span has more than 100,000 payments: sums, and an order by amount, are of its newest 100,000',
    }),
  },
  { title: 'MerchantPayments' },
)

export function addPaymentRoutes(
  app: ApiServer,
  { preParsing, tokens }: Pick<RevenueParts, 'tokens'> & { preParsing: ReturnType<GatewayAuth['require']> },
): void {
  app.get(
    `${MERCHANT_BASE}/payments`,
    {
      preParsing,
      config: { reads: 'replicas' },
      schema: {
        operationId: 'listMerchantPayments',
        tags,
        security,
        params,
        summary: "List the gateway's payments",
        description:
          'By token, standing, amount and time, with their sums. Newest first, with a `link` header for more; a page can hold fewer than asked for and still have a next. By amount: with `offset`.',
        querystring: Type.Object({
          ...PAYMENT_FILTERS,
          sort: Type.Enum([...PAYMENT_ORDERS], { default: 'newest', description: 'the order' }),
          limit: ClampedLimit(),
          offset: Offset(),
          cursor: Cursor(),
        }),
        response: { 200: Written(MerchantPayments), ...REFUSALS },
      },
    },
    async (request, reply) => {
      const gateway = own(request)
      const { sort, limit, offset, cursor, ...query } = request.query
      const filter = toPaymentFilter(query)
      const after = readKey(EVENT_CURSORS.time, cursor)
      const page = { sort, limit, offset, after }
      const [found, sums] = await Promise.all([
        findMerchantPayments(request.store, gateway, filter, page, tokens),
        sumMerchantPayments(request.store, gateway, filter),
      ]).catch(nameMissingFilter(filter))
      if (found.next) offerNextPage(request, reply, EVENT_CURSORS.time.write(found.next))
      const byToken = sums.byToken.map(({ tokenMint, count, total }) => ({
        tokenMint,
        count: Number(count),
        totalAmount: total.toString(),
      }))
      void reply.type('application/json; charset=utf-8')
      return `{"items":[${found.text}],"byToken":${JSON.stringify(byToken)},"complete":${sums.complete}}`
    },
  )
}
