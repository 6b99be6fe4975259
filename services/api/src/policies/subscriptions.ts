import { deriveUserPayment } from '@payment-tracking/domain'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type, type Static } from 'typebox'
import {
  listSubscriptions,
  POLICY_CURSOR,
  type StoredSubscription,
  type SubscriptionFilter,
} from '@payment-tracking/store/reads'
import { ApiError } from '../http/api-errors.js'
import { nameTrackingId } from '../http/name-missing-filter.js'
import { offerNextPage, readKey, readListCursor } from '../http/list-cursor.js'
import { countSent, isGiven, type SentQuery } from '../http/query-string.js'
import { Envelope, inEnvelope } from '../http/envelope.js'
import { READ_REFUSALS } from '../http/error-answer-schema.js'
import { Cursor, PublicKey, TrackingId } from '../http/fields.js'
import { readPolicyRisks } from './due-risk-record.js'
import { SubscriptionRecord, toSubscriptionRecord, type RecordParts } from './subscription-record.js'
import type { AddRoutes, RouteParts } from '../route-parts.js'

const PAGE = 1000
const MOST_PARAMETERS = 3
const LOOKUPS = ['trackingId', 'userPublicKey', 'gatewayPublicKey', 'recipient', 'walletPublicKey']

export const SubscriptionQuery = Type.Object({
  trackingId: Type.Optional(TrackingId('subscription tracking ID')),
  userPublicKey: Type.Optional(PublicKey("the owner's wallet, or the user payment account")),
  gatewayPublicKey: Type.Optional(PublicKey('the gateway')),
  walletPublicKey: Type.Optional(PublicKey("the owner's wallet; only together with tokenMint")),
  tokenMint: Type.Optional(PublicKey('the token; only together with walletPublicKey')),
  recipient: Type.Optional(PublicKey('who is paid')),
  cursor: Cursor(),
})

/**
 * The rules of this lookup, in their order and with their exact words. All other checks come later. An empty parameter is not
 * given, but counts; the filters of a cursor are given, but do not count.
 */
function checkLookup(sent: SentQuery): void {
  const carried = readListCursor(sent)?.filters ?? {}
  const has = (name: string) => isGiven(sent, name) || isGiven(carried, name)
  if (has('walletPublicKey') !== has('tokenMint')) {
    throw new ApiError(
      'WALLET_LOOKUP_INCOMPLETE',
      'If you provide either walletPublicKey or tokenMint, you have to provide both!',
    )
  }
  if (!LOOKUPS.some(has)) {
    throw new ApiError(
      'LOOKUP_MISSING',
      'Must specify one of trackingId, userPublicKey, gatewayPublicKey, recipient, or (walletPublicKey & tokenMint)!',
    )
  }
  if (countSent(sent) > MOST_PARAMETERS) {
    throw new ApiError('TOO_MANY_FILTERS', 'Too many filters specified. Up to 3 query args allowed.')
  }
}

/** `checkLookup` as `preParsing`: after the rate limit, before all other refusals of the query. */
export function checkSentLookup(
  request: FastifyRequest,
  _reply: FastifyReply,
  _body: unknown,
  done: () => void,
): void {
  checkLookup(request.query as SentQuery)
  done()
}

/**
 * Reads a page of policies, and offers the next page if there is one.
 * @param only further conditions beside the query
 */
export async function answerSubscriptions(
  { programId }: Pick<RouteParts, 'programId'>,
  request: FastifyRequest & { query: Static<typeof SubscriptionQuery> },
  reply: FastifyReply,
  only: Pick<SubscriptionFilter, 'family'> = {},
): Promise<StoredSubscription[]> {
  const { cursor, walletPublicKey, tokenMint, ...query } = request.query
  const after = readKey(POLICY_CURSOR, cursor)
  const filter: SubscriptionFilter = {
    ...only,
    trackingId: query.trackingId,
    userPublicKey: query.userPublicKey,
    gateway: query.gatewayPublicKey,
    recipient: query.recipient,
    ...(walletPublicKey === undefined || tokenMint === undefined
      ? {}
      : { userPayment: deriveUserPayment(programId, walletPublicKey, tokenMint) }),
  }
  // One row more than a page shows whether there is a next page.
  const policies = await listSubscriptions(request.store, filter, { limit: PAGE + 1, after }).catch(
    nameTrackingId,
  )
  const page = policies.slice(0, PAGE)
  const last = page.at(-1)
  if (policies.length > PAGE && last) offerNextPage(request, reply, POLICY_CURSOR.write(last))
  return page
}

/** What the records of a page need. */
export async function readRecordParts(
  { programId, graceSeconds, nowMs }: Pick<RouteParts, 'programId' | 'graceSeconds' | 'nowMs'>,
  request: FastifyRequest,
  policies: readonly StoredSubscription[],
): Promise<RecordParts> {
  const now = nowMs() / 1000
  return { now, graceSeconds, risks: await readPolicyRisks(request.store, policies, { programId, now }) }
}

/** Existing payment policies, by any of their parties. */
export const subscriptionsRoute: AddRoutes = (app, parts) => {
  app.get(
    '/v1/subscriptions',
    {
      config: { reads: 'replicas' },
      schema: {
        operationId: 'listSubscriptions',
        tags: ['subscriptions'],
        summary: 'List subscriptions',
        description:
          'Newest first by creation, up to 1,000 in a page. At least one lookup must be given, and at most 3 parameters: all that are sent count. `walletPublicKey` and `tokenMint` are given together or not at all.',
        querystring: SubscriptionQuery,
        response: { 200: Envelope('Subscriptions', Type.Array(SubscriptionRecord)), ...READ_REFUSALS },
      },
      preParsing: checkSentLookup,
    },
    async (request, reply) => {
      const page = await answerSubscriptions(parts, request, reply)
      const recordParts = await readRecordParts(parts, request, page)
      return inEnvelope(page.map(policy => toSubscriptionRecord(policy, recordParts)))
    },
  )
}
