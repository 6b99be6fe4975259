// What webhooks would be sent, for servers that nobody can reach.
import { setTimeout as sleep } from 'node:timers/promises'
import { DUE_LIFECYCLE_TYPES, PAYMENT_MESSAGE_TYPE, WEBHOOK_EVENT_TYPES } from '@payment-tracking/domain'
import { askFeedForDates } from '@payment-tracking/store/admin'
import {
  FEED_CURSOR,
  findArchivedAfter,
  readFeedPage,
  type FeedKey,
  type FeedPage,
  type FeedQuery,
  type Reads,
} from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import type { GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { ArchivedError, InvalidParameterError } from '../http/api-errors.js'
import { begin } from '../http/choose-database.js'
import { ARCHIVED_REFUSAL } from '../http/error-answer-schema.js'
import { Limit, Text, Written } from '../http/fields.js'
import type { Suspend } from '../limits/bound-requests.js'
import { own, params } from '../merchant/merchant-route.js'
import { READS } from '../webhooks/webhook-routes.js'
import { WEBHOOK_REFUSALS } from '../webhooks/webhook-schemas.js'
import type { FeedWaits } from './feed-waits.js'

export interface FeedParts {
  auth: GatewayAuth
  reads: Reads
  waits: FeedWaits
  suspend: Suspend
}

const LONGEST_WAIT_SECONDS = 25
/** Pages without a message that one request reads: rows that nobody was notified of, or of types that were not asked for. */
const MOST_EMPTY_PAGES = 20
/** For whom there is no place to wait. */
const RETRY_AFTER_SECONDS = 5
/** Whoever is signalled by messages of other types reads at most so often. */
const SUSPEND_MS = 40

const Message = Type.Object(
  {
    id: Type.Optional(Text('the same as `webhook-id` of every endpoint: dedupe by it')),
    type: Type.Optional(Text('the type of the message', PAYMENT_MESSAGE_TYPE)),
  },
  {
    title: 'FeedMessage',
    description: 'The body that a webhook without filters is sent; `webhooks` describes it by its type.',
  },
)

const Feed = Type.Object(
  {
    items: Written(Type.Array(Message)),
    next: Text('where to go on, as `after`; also where `items` is empty'),
  },
  { title: 'Feed' },
)

const Query = Type.Object({
  after: Type.Optional(
    Type.String({
      format: 'cursor',
      description: '`next` of the page before; without it from the beginning',
    }),
  ),
  types: Type.Optional(
    Type.String({
      description: `types of messages with commas between them, of ${WEBHOOK_EVENT_TYPES.join(', ')}; without it ${PAYMENT_MESSAGE_TYPE} alone`,
    }),
  ),
  limit: Limit(),
  wait: Type.Integer({
    minimum: 0,
    maximum: LONGEST_WAIT_SECONDS,
    default: 0,
    description: 'seconds to wait for a message where there is none',
  }),
})

/** @throws InvalidParameterError, which names the types */
function readTypes(text: string): string[] {
  const types = text.split(',').map(type => type.trim())
  const unknown = types.find(type => !(WEBHOOK_EVENT_TYPES as readonly string[]).includes(type))
  if (unknown !== undefined)
    throw new InvalidParameterError(
      'types',
      `names ${JSON.stringify(unknown.slice(0, 64))}, which is no type of the feed; these are ${WEBHOOK_EVENT_TYPES.join(', ')}`,
    )
  return types
}

function readAfter(text: string): FeedKey {
  const after = FEED_CURSOR.read(text)
  if (after === null)
    throw new InvalidParameterError('after', 'is no cursor of a feed; send `next` of a page')
  return after
}

/** Nobody looks at the dates of a gateway before somebody asks for them. */
const areDates = (types: readonly string[]): boolean => DUE_LIFECYCLE_TYPES.some(type => types.includes(type))

const NO_LONGER_KEPT =
  'A feed keeps its messages for 30 days. Begin again without "after"; GET /v1/events has the payments before.'

/** Reads on until there is a message, or nothing more. @throws ArchivedError, InvalidParameterError */
async function readOn(store: Store, query: FeedQuery): Promise<FeedPage> {
  for (let { after } = query, pages = 1; ; pages += 1) {
    const page = await readFeedPage(store, { ...query, after })
    if (page === 'another database')
      throw new InvalidParameterError('after', 'is of another database; begin again without it')
    if (page === 'no longer kept') {
      const month = await findArchivedAfter(store, after!.position)
      throw month === null ? new ArchivedError('an earlier month', NO_LONGER_KEPT) : new ArchivedError(month)
    }
    if (page.bodies.length > 0 || !page.hasMore || pages === MOST_EMPTY_PAGES) return page
    after = page.next
  }
}

export function addFeedRoute(app: ApiServer, { auth, reads, waits, suspend }: FeedParts): void {
  const access = auth.require('webhooks:read')
  /** Reads at once; then, while there is nothing, whenever the feed may have gone on. */
  const readWaiting = async (
    request: FastifyRequest,
    reply: FastifyReply,
    query: FeedQuery,
    waitSeconds: number,
  ): Promise<FeedPage> => {
    const wait = waits.open({
      gateway: query.gateway,
      address: request.ip,
      waitMs: waitSeconds * 1_000,
      gone: request.abandoned,
    })
    try {
      let page = await readOn(request.store, query)
      if (wait === null) {
        if (page.bodies.length === 0) void reply.header('retry-after', RETRY_AFTER_SECONDS)
        return page
      }
      // What the request came by may have ended before it had its place, where no signal reaches it.
      if (page.bodies.length === 0) await access(request, reply)
      while (page.bodies.length === 0) {
        if (!page.hasMore) {
          const isOn = await suspend(request, () => wait.next())
          // Or meanwhile: it is told of nothing that happened since.
          await access(request, reply)
          if (!isOn) return page
        }
        // A replica may not know yet what woke the request.
        begin(request, await reads.begin({ replicas: false }))
        page = await readOn(request.store, { ...query, after: page.next })
        if (page.bodies.length === 0) await suspend(request, () => sleep(SUSPEND_MS))
      }
      return page
    } finally {
      wait?.close()
    }
  }

  app.get(
    '/v1/gateway/:gateway/feed',
    {
      config: { reads: 'replicas' },
      // After the rate limit, before all other checks of the request.
      preParsing: access,
      schema: {
        operationId: 'readFeed',
        tags: ['webhooks'],
        security: READS,
        summary: 'Read the feed',
        description:
          'What a webhook without filters is sent, oldest first. For servers that nobody can reach: the bodies of every event of the gateway, with or without an endpoint, with the ids that webhooks have. Of dates alone (`due_soon`, `overdue`, `expired`) it tells from the first request on whose `types` names one, or an endpoint that asks. Go on with `next`: it never skips what is stored late. With `wait`, the answer comes as soon as there is a message. At most 20 requests of a gateway wait at a time, and 200 of a client address; where there is no place to wait, an empty page comes at once, and `retry-after` says when to ask again. A key or session that ends also ends its waiting requests.',
        params,
        querystring: Query,
        response: { 200: Feed, ...ARCHIVED_REFUSAL, ...WEBHOOK_REFUSALS },
      },
    },
    async (request, reply) => {
      const { after, types, limit, wait } = request.query
      const query: FeedQuery = {
        gateway: own(request),
        types: types === undefined ? [PAYMENT_MESSAGE_TYPE] : readTypes(types),
        after: after === undefined ? null : readAfter(after),
        limit,
      }
      if (areDates(query.types)) await askFeedForDates(request.store, query.gateway)
      const page =
        wait === 0 ? await readOn(request.store, query) : await readWaiting(request, reply, query, wait)
      return { items: `[${page.bodies.join(',')}]`, next: FEED_CURSOR.write(page.next) }
    },
  )
}
