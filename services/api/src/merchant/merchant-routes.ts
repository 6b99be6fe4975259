// A gateway's revenue and subscribers. Every route needs the gateway's own token.
import { Readable } from 'node:stream'
import { countMerchantPolicies, listMerchantPolicies, listSubscribers } from '@payment-tracking/store'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { gatewayOf, type GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { ApiError, InvalidParameterError } from '../http/api-errors.js'
import { parseTime } from '../http/formats.js'
import { READ_REFUSALS, refusal } from '../schemas/error-answer.js'
import { Limit, Moment, Offset, PublicKey } from '../schemas/fields.js'
import { EXPORT_KINDS, exportLines } from './export-lines.js'
import {
  MerchantPolicies,
  Revenue,
  Subscribers,
  toMerchantPolicy,
  toSubscriber,
  Upcoming,
} from './merchant-schemas.js'
import { bucketsOf, readRevenue, type RevenueParts, type Span } from './read-revenue.js'
import { readUpcoming } from './read-upcoming.js'

const tags = ['merchant']
const security = [{ gatewayToken: [] }, { apiKey: [] }]
const REFUSALS = {
  401: refusal('There is no token, or none that counts.'),
  403: refusal('The token is of another gateway.'),
  ...READ_REFUSALS,
}
const params = Type.Object({ gateway: PublicKey('the gateway of the token') })
const DAY = 86_400
const USUAL_DAYS = 30
const MOST_BUCKETS = 400

const SpanQuery = {
  startTime: Type.Optional(Moment('the first moment of the span')),
  endTime: Type.Optional(Moment('the first moment after the span')),
}

export function addMerchantRoutes(
  app: ApiServer,
  { auth, ...parts }: RevenueParts & { auth: GatewayAuth },
): void {
  const { store } = parts
  // After the rate limit, before all other checks of the request.
  const preParsing = auth.require('merchant:read')
  const own = (request: FastifyRequest & { params: { gateway: string } }): string => {
    if (request.params.gateway !== gatewayOf(request))
      throw new ApiError('FORBIDDEN', 'The token is of another gateway.')
    return request.params.gateway
  }
  const secondsOf = (text: string | undefined): number | undefined =>
    text === undefined ? undefined : Math.floor(parseTime(text, 'up')!.getTime() / 1000)

  /** The requested span; by default the last 30 days. @throws InvalidParameterError */
  const spanOf = (query: { startTime?: string; endTime?: string; bucket?: string }): Span => {
    const to = secondsOf(query.endTime) ?? Math.floor(parts.nowMs() / 1000)
    const from = secondsOf(query.startTime) ?? to - USUAL_DAYS * DAY
    if (from >= to) throw new InvalidParameterError('startTime', 'must be before endTime')
    const span: Span = { from, to, size: query.bucket === 'week' ? 'week' : 'day' }
    if ((to - from) / DAY > MOST_BUCKETS * 7 || bucketsOf(span).length > MOST_BUCKETS)
      throw new InvalidParameterError('startTime', `must leave at most ${MOST_BUCKETS} buckets`)
    return span
  }
  const base = '/v1/gateway/:gateway/merchant'

  app.get(
    `${base}/policies`,
    {
      preParsing,
      schema: {
        operationId: 'listMerchantPolicies',
        ...{ tags, security, params },
        summary: "The gateway's policies, newest first, deleted ones too",
        querystring: Type.Object({ limit: Limit(), offset: Offset() }),
        response: { 200: MerchantPolicies, ...REFUSALS },
      },
    },
    async request => {
      const gateway = own(request)
      const [policies, total] = await Promise.all([
        listMerchantPolicies(store, gateway, request.query),
        countMerchantPolicies(store, gateway),
      ])
      return { items: policies.map(toMerchantPolicy), total }
    },
  )

  app.get(
    `${base}/subscribers`,
    {
      preParsing,
      schema: {
        operationId: 'listSubscribers',
        ...{ tags, security, params },
        summary: 'Wallets with policies of the gateway, the one that paid last first',
        querystring: Type.Object({ limit: Limit(), offset: Offset() }),
        response: { 200: Subscribers, ...REFUSALS },
      },
    },
    async request => {
      const { items, total } = await listSubscribers(store, own(request), request.query)
      return { items: items.map(toSubscriber), total }
    },
  )

  app.get(
    `${base}/revenue`,
    {
      preParsing,
      schema: {
        operationId: 'getRevenue',
        ...{ tags, security, params },
        summary: 'Recurring revenue and volume, by token and by day or week',
        description: 'By default of the last 30 days. At most 400 buckets; weeks begin on Mondays.',
        querystring: Type.Object({
          ...SpanQuery,
          bucket: Type.Optional(Type.Enum(['day', 'week'], { description: 'default `day`' })),
        }),
        response: { 200: Revenue, ...REFUSALS },
      },
    },
    async request => {
      const gateway = own(request)
      return readRevenue(parts, gateway, spanOf(request.query))
    },
  )

  app.get(
    `${base}/upcoming`,
    {
      preParsing,
      schema: {
        operationId: 'listUpcoming',
        ...{ tags, security, params },
        summary: 'Payments that are due in a span of time, by default the next 30 days',
        querystring: Type.Object({ ...SpanQuery, limit: Limit(), offset: Offset() }),
        response: { 200: Upcoming, ...REFUSALS },
      },
    },
    async request => {
      const gateway = own(request)
      const { limit, offset, startTime, endTime } = request.query
      const from = secondsOf(startTime) ?? Math.floor(parts.nowMs() / 1000)
      const to = secondsOf(endTime) ?? from + USUAL_DAYS * DAY
      if (from >= to) throw new InvalidParameterError('startTime', 'must be before endTime')
      return readUpcoming(store, gateway, { from: BigInt(from), to: BigInt(to), limit, offset })
    },
  )

  app.get(
    `${base}/export/:kind`,
    {
      preParsing,
      schema: {
        operationId: 'exportMerchantData',
        ...{ tags, security },
        summary: 'Everything of one kind as CSV',
        description:
          'RFC 4180, streamed whole. Where a spreadsheet would find a formula in a text, an apostrophe stands before it.',
        params: Type.Object({
          ...params.properties,
          kind: Type.Enum([...EXPORT_KINDS], { description: 'what is exported' }),
        }),
        querystring: Type.Object({
          format: Type.Optional(Type.Enum(['csv'], { description: 'always `csv`' })),
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
      const lines = await exportLines(store, gateway, kind, () => readRevenue(parts, gateway, spanOf({})))
      void reply
        .header('content-disposition', `attachment; filename="${kind}-${gateway}.csv"`)
        .type('text/csv; charset=utf-8')
      return reply.send(Readable.from(lines) as never)
    },
  )
}
