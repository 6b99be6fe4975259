// The customers of a gateway: a list, the time line of each, and cohorts. Every route needs the gateway's own token.
import { findSubscribers, readSubscribers, readTimeline } from '@payment-tracking/store/reads'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import type { GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { ApiError } from '../http/api-errors.js'
import { refusal } from '../http/error-answer-schema.js'
import { ClampedLimit, Cursor, Offset, PublicKey, TrackingId } from '../http/fields.js'
import { offerNextPage } from '../http/list-cursor.js'
import { Cohorts } from './cohort-schemas.js'
import {
  Subscribers,
  SubscriberStateField,
  SubscriberTimeline,
  toSubscriber,
  toTimeline,
} from './customer-schemas.js'
import { clockOf, KEPT, MERCHANT_BASE, own, params, REFUSALS, security, tags } from './merchant-route.js'
import { readCohorts } from './read-cohorts.js'
import type { RevenueParts } from './read-revenue.js'

/** Entries of a page: each can have a delivery for each webhook. */
const MOST_ENTRIES = 200

export function addCustomerRoutes(
  app: ApiServer,
  { preParsing, ...parts }: Omit<RevenueParts, 'store'> & { preParsing: ReturnType<GatewayAuth['require']> },
): void {
  app.get(
    `${MERCHANT_BASE}/subscribers`,
    {
      preParsing,
      config: { reads: 'replicas' },
      schema: {
        operationId: 'listSubscribers',
        tags,
        security,
        params,
        summary: 'List customers',
        description:
          'The wallets that paid the gateway, direct transfers too. By wallet; follow the `link` header for more. With `state`: all wallets in it, whether they paid or not. With `neverPaid=true`: the owners of policies who never paid. Both in the order of policies, the owner of the newest first (`ended` by wallet); a page can then hold fewer than asked for and still have a next.',
        querystring: Type.Object({
          state: Type.Optional(SubscriberStateField()),
          search: Type.Optional(
            TrackingId(
              'a wallet, or a tracking ID of its payments and policies: of one with more than 50 events the newest',
            ),
          ),
          neverPaid: Type.Optional(
            Type.Boolean({ description: 'owners of policies who never paid instead' }),
          ),
          limit: ClampedLimit(),
          offset: Offset(),
          cursor: Cursor(),
        }),
        response: { 200: Subscribers, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const { state, search, neverPaid, cursor, ...page } = request.query
      const { items, total, next } = await findSubscribers(
        request.store,
        own(request),
        { state, search, neverPaid },
        { ...page, after: cursor },
        clockOf(parts),
      )
      if (next !== null) offerNextPage(request, reply, next)
      return { items: items.map(toSubscriber), total }
    },
  )

  app.get(
    `${MERCHANT_BASE}/subscribers/:wallet`,
    {
      preParsing,
      config: { reads: 'replicas' },
      schema: {
        operationId: 'getSubscriber',
        tags,
        security,
        params: Type.Object({ ...params.properties, wallet: PublicKey('who pays') }),
        summary: 'Get a customer',
        description:
          'With what happened between the wallet and the gateway, newest first. Payments, what became of policies, due dates that were missed, and retracted payments, each with what webhooks were told of it. Of a wallet at most the newest 200 policies.',
        querystring: Type.Object({ limit: ClampedLimit(MOST_ENTRIES), cursor: Cursor() }),
        response: {
          200: SubscriberTimeline,
          ...REFUSALS,
          404: refusal('The wallet neither paid the gateway nor has a policy of it.'),
        },
      },
    },
    async (request, reply) => {
      const gateway = own(request)
      const { wallet } = request.params
      const { limit, cursor } = request.query
      const { store } = request
      const of = { gateway, wallet, programId: parts.programId }
      const [[subscriber], page] = await Promise.all([
        readSubscribers(store, gateway, [wallet], clockOf(parts)),
        readTimeline(store, of, { limit, after: cursor }, clockOf(parts)),
      ])
      const isKnown = subscriber!.policyCount > 0n || subscriber!.byToken.length > 0 || page.items.length > 0
      if (!isKnown && cursor === undefined)
        throw new ApiError('NOT_FOUND', 'The wallet neither paid the gateway nor has a policy of it.')
      if (page.next !== null) offerNextPage(request, reply, page.next)
      return toTimeline(subscriber!, page)
    },
  )

  app.get(
    `${MERCHANT_BASE}/cohorts`,
    {
      preParsing,
      config: { reads: 'replicas', costly: true },
      schema: {
        operationId: 'getCohorts',
        tags,
        security,
        params,
        summary: 'Get cohorts',
        description:
          'Wallets by the month of their first payment, and what they paid in the months since. By token, in UTC, by the time that the payments state. Retracted payments do not count.' +
          KEPT,
        response: { 200: Cohorts, ...REFUSALS },
      },
    },
    request => readCohorts({ ...parts, store: request.store }, own(request)),
  )
}
