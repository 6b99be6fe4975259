// The customers of a gateway: a list, the time line of each, and cohorts. Every route needs the gateway's own token.
import { nameCustomer } from '@payment-tracking/store/admin'
import {
  EVENT_CURSORS,
  findSubscribers,
  isCustomer,
  readCustomerDues,
  readSubscribers,
  readTimeline,
  SUBSCRIBER_ORDERS,
  type SubscriberOrder,
} from '@payment-tracking/store/reads'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { securityOf, type GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { ApiError, InvalidParameterError } from '../http/api-errors.js'
import { refusal } from '../http/error-answer-schema.js'
import { ClampedLimit, Cursor, Offset, PublicKey } from '../http/fields.js'
import { offerNextPage, readKey } from '../http/list-cursor.js'
import { Cohorts } from './cohort-schemas.js'
import {
  CustomerName,
  Subscribers,
  SubscriberStateField,
  SubscriberTimeline,
  toSubscriber,
  toTimeline,
} from './customer-schemas.js'
import { clockOf, KEPT, MERCHANT_BASE, own, params, REFUSALS, security, tags } from './merchant-route.js'
import { readCohorts } from './read-cohorts.js'
import type { RevenueParts } from './read-revenue.js'

/** @throws InvalidParameterError where an order would be ignored, or would begin anew at each page */
function checkSort({
  sort,
  state,
  search,
  neverPaid,
  tokenMint,
  cursor,
  offset,
}: {
  sort: SubscriberOrder
  state?: string
  search?: string
  neverPaid?: boolean
  tokenMint?: string
  cursor?: string
  offset: number
}): void {
  if (tokenMint !== undefined && sort !== 'paid')
    throw new InvalidParameterError('tokenMint', 'needs sort=paid')
  if (sort === 'wallet') return
  if (state !== undefined || search !== undefined || neverPaid)
    throw new InvalidParameterError('sort', 'orders all who paid, without state, search and neverPaid')
  if (sort === 'paid') return
  if (offset > 0)
    throw new InvalidParameterError('offset', `has no meaning with sort=${sort}: use the cursor`)
  readKey(EVENT_CURSORS.time, cursor)
}

const unknownCustomer = () =>
  new ApiError('NOT_FOUND', 'The wallet neither paid the gateway nor has a policy of it.')

/** Entries of a page: each can have a delivery for each webhook. */
const MOST_ENTRIES = 200

export function addCustomerRoutes(
  app: ApiServer,
  {
    preParsing,
    auth,
    ...parts
  }: RevenueParts & { auth: GatewayAuth; preParsing: ReturnType<GatewayAuth['require']> },
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
          'The wallets that paid the gateway, direct transfers too. Follow the `link` header for more; by what was paid, use `offset`. In the order of time a page can hold fewer than asked for and still have a next. With `state`: all wallets in it, whether they paid or not. With `neverPaid=true`: the owners of policies who never paid. Both in the order of policies, the owner of the newest first (`ended` by wallet); a page can then hold fewer than asked for and still have a next.',
        querystring: Type.Object({
          state: Type.Optional(SubscriberStateField()),
          search: Type.Optional(
            Type.String({
              format: 'search-text',
              description:
                'a wallet, a tracking ID of its payments and policies (of one with more than 50 events the newest), or the first 3 or more characters of the gateway’s name for it, whatever their case',
              examples: ['order-4711'],
            }),
          ),
          neverPaid: Type.Optional(
            Type.Boolean({ description: 'owners of policies who never paid instead' }),
          ),
          sort: Type.Enum([...SUBSCRIBER_ORDERS], {
            default: 'wallet',
            description:
              'of all who paid: by `wallet`; the `newest` customers, by their first payment; those of the newest `last_payment`; or by what each `paid` in one token, most first, among the newest 100,000 payments',
          }),
          tokenMint: Type.Optional(
            PublicKey('with `sort=paid`: which token; without, that of most payments'),
          ),
          limit: ClampedLimit(),
          offset: Offset(),
          cursor: Cursor(),
        }),
        response: { 200: Subscribers, ...REFUSALS },
      },
    },
    async (request, reply) => {
      const { state, search, neverPaid, sort, tokenMint, cursor, ...page } = request.query
      checkSort(request.query)
      const { items, total, next } = await findSubscribers(
        request.store,
        own(request),
        { state, search, neverPaid, sort, tokenMint },
        { ...page, after: cursor },
        clockOf(parts),
      )
      if (next !== null) offerNextPage(request, reply, next)
      const addresses = items.flatMap(({ due }) => due)
      const dues = await readCustomerDues(request.store, addresses, parts.programId)
      return { items: items.map(item => toSubscriber(item, dues)), total }
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
      if (!isKnown && cursor === undefined) throw unknownCustomer()
      if (page.next !== null) offerNextPage(request, reply, page.next)
      const dues = await readCustomerDues(store, subscriber!.due, parts.programId)
      return toTimeline(subscriber!, page, dues)
    },
  )

  app.put(
    `${MERCHANT_BASE}/subscribers/:wallet`,
    {
      preParsing: auth.require('merchant:write'),
      schema: {
        operationId: 'nameSubscriber',
        tags,
        security: securityOf('merchant:write'),
        params: Type.Object({ ...params.properties, wallet: PublicKey('who pays') }),
        summary: 'Update a customer',
        description:
          'What the gateway calls a wallet: in its customers, its search and its exports. No other gateway and no public answer ever holds it.',
        body: CustomerName,
        response: {
          200: CustomerName,
          ...REFUSALS,
          404: refusal('The wallet neither paid the gateway nor has a policy of it.'),
        },
      },
    },
    async request => {
      const gateway = own(request)
      const { wallet } = request.params
      const { name } = request.body
      // So a gateway has no more names than customers.
      if (name !== null && !(await isCustomer(parts.store, gateway, wallet))) throw unknownCustomer()
      await nameCustomer(parts.store, { gateway, wallet, name })
      return { name }
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
