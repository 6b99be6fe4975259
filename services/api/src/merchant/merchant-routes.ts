// A gateway's revenue and subscribers. Every route needs the gateway's own token.
import { Readable } from 'node:stream'
import { countMerchantPolicies, listMerchantPolicies } from '@payment-tracking/store/reads'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import type { GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { InvalidParameterError } from '../http/api-errors.js'
import { ClampedLimit, Moment, Offset } from '../http/fields.js'
import { EXPORT_KINDS, exportLines } from './export-lines.js'
import { checkFilters, fileNameOf } from './export-span.js'
import { addCustomerRoutes } from './customer-routes.js'
import { MerchantPolicies, Revenue, toMerchantPolicy, Upcoming } from './merchant-schemas.js'
import { clockOf, KEPT, MERCHANT_BASE, own, params, REFUSALS, security, tags } from './merchant-route.js'
import { addPaymentRoutes, PAYMENT_FILTERS, toPaymentFilter } from './payment-routes.js'
import { readCohorts } from './read-cohorts.js'
import { readRevenue, type RevenueParts } from './read-revenue.js'
import { readBounds, readSpan } from './read-span.js'
import { readUpcoming } from './read-upcoming.js'

const DAY = 86_400
const USUAL_DAYS = 30

const SpanQuery = {
  startTime: Type.Optional(Moment('the first moment of the span')),
  endTime: Type.Optional(
    Moment('the first moment after the span; a date without a time is the whole day (UTC)'),
  ),
}

export function addMerchantRoutes(
  app: ApiServer,
  { auth, ...parts }: RevenueParts & { auth: GatewayAuth; programId: string },
): void {
  // After the rate limit, before all other checks of the request.
  const preParsing = auth.require('merchant:read')
  const base = MERCHANT_BASE
  addCustomerRoutes(app, { preParsing, auth, ...parts })
  addPaymentRoutes(app, { preParsing, ...parts })

  app.get(
    `${base}/policies`,
    {
      preParsing,
      config: { reads: 'replicas' },
      schema: {
        operationId: 'listMerchantPolicies',
        tags,
        security,
        params,
        summary: "List the gateway's policies",
        description:
          'Newest first, deleted ones too. Policies of both families, with what each has paid. Amounts are texts in the smallest unit of the token.',
        querystring: Type.Object({ limit: ClampedLimit(), offset: Offset() }),
        response: { 200: MerchantPolicies, ...REFUSALS },
      },
    },
    async request => {
      const gateway = own(request)
      const [policies, total] = await Promise.all([
        listMerchantPolicies(request.store, gateway, request.query),
        countMerchantPolicies(request.store, gateway),
      ])
      return { items: policies.map(toMerchantPolicy), total }
    },
  )

  app.get(
    `${base}/revenue`,
    {
      preParsing,
      config: { reads: 'replicas', costly: true },
      schema: {
        operationId: 'getRevenue',
        tags,
        security,
        params,
        summary: 'Get revenue',
        description:
          'Recurring revenue and volume, by token and by day or week. Without `startTime` of the whole life of the gateway, in days, then weeks, then months: at most 400 buckets. Weeks begin on Mondays.' +
          KEPT,
        querystring: Type.Object({
          ...SpanQuery,
          bucket: Type.Optional(
            Type.Enum(['day', 'week', 'month'], { description: 'the smallest bucket; default `day`' }),
          ),
        }),
        response: { 200: Revenue, ...REFUSALS },
      },
    },
    async request => {
      const gateway = own(request)
      const { store } = request
      return readRevenue(
        { ...parts, store },
        gateway,
        await readSpan(store, gateway, request.query, parts.nowMs()),
      )
    },
  )

  app.get(
    `${base}/upcoming`,
    {
      preParsing,
      config: { reads: 'replicas', costly: true },
      schema: {
        operationId: 'listUpcoming',
        tags,
        security,
        params,
        summary: 'List payments due',
        description:
          'In a span of time, by default the next 30 days. Of active subscriptions and one-time policies: the payment whose date has passed, and each date to come as far as renewals go. Dates that were missed before are not made up for. Amounts of different tokens are never added.' +
          KEPT,
        querystring: Type.Object({
          ...SpanQuery,
          atRisk: Type.Optional(
            Type.Boolean({ description: 'lists payments at risk alone; the sums stay those of all' }),
          ),
          limit: ClampedLimit(),
          offset: Offset(),
        }),
        response: { 200: Upcoming, ...REFUSALS },
      },
    },
    async request => {
      const gateway = own(request)
      const { limit, offset, atRisk } = request.query
      const clock = clockOf(parts)
      const bounds = readBounds(request.query)
      const from = bounds.from ?? clock.nowSeconds
      const to = bounds.to ?? from + USUAL_DAYS * DAY
      if (from >= to) throw new InvalidParameterError('startTime', 'must be before endTime')
      const span = { from: BigInt(from), to: BigInt(to), limit, offset }
      return readUpcoming(request.store, gateway, span, { ...parts, listed: parts.tokens, clock, atRisk })
    },
  )

  app.get(
    `${base}/export/:kind`,
    {
      preParsing,
      config: { reads: 'replicas', costly: true },
      schema: {
        operationId: 'exportMerchantData',
        tags,
        security,
        summary: 'Export as CSV',
        description:
          'One table of one kind. RFC 4180, streamed whole, with the span in the name of the file. `startTime` and `endTime` are of `payments`, `revenue`, `series` and `movements`, the other filters those of `merchant/payments`, for `payments` alone. Beside each amount in the smallest unit it is in units of the token, with its symbol, empty where this service cannot name the token. Fees stand at executions of composable policies; the event of no other payment tells them, so there is no net amount. Where a spreadsheet would find a formula in a text, an apostrophe stands before it.',
        params: Type.Object({
          ...params.properties,
          kind: Type.Enum([...EXPORT_KINDS], { description: 'what is exported' }),
        }),
        querystring: Type.Object({
          format: Type.Optional(Type.Enum(['csv'], { description: 'always `csv`' })),
          ...PAYMENT_FILTERS,
        }),
        produces: ['text/csv'],
        response: {
          200: { content: { 'text/csv': { schema: Type.String() } }, description: 'The file.' },
          ...REFUSALS,
        },
      },
    },
    async (request, reply) => {
      const gateway = own(request)
      const { kind } = request.params
      const { store } = request
      const { format: _format, ...filters } = request.query
      checkFilters(kind, filters)
      const { startTime, endTime } = filters
      const span = {
        ...(startTime !== undefined && { startTime }),
        ...(endTime !== undefined && { endTime }),
      }
      const lines = await exportLines(store, gateway, kind, {
        tokens: parts.tokens,
        payments: toPaymentFilter(filters),
        clock: clockOf(parts),
        readRevenue: async () =>
          readRevenue({ ...parts, store }, gateway, await readSpan(store, gateway, span, parts.nowMs())),
        readCohorts: () => readCohorts({ ...parts, store }, gateway),
      })
      void reply
        .header(
          'content-disposition',
          `attachment; filename="${fileNameOf(kind, gateway, span, parts.nowMs())}"`,
        )
        .type('text/csv; charset=utf-8')
      return reply.send(Readable.from(lines) as never)
    },
  )
}
