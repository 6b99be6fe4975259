// What a webhook missed is sent to it.
import {
  beginReplay,
  readReplay,
  REPLAYED_DAYS,
  REPLAYED_TYPES,
  type ReplayProgress,
  requireRedeliveryQuota,
} from '@payment-tracking/store/deliveries'
import type { Store } from '@payment-tracking/store/core'
import { Type, type Static } from 'typebox'
import type { ApiServer } from '../api-server.js'
import type { GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { ApiError } from '../http/api-errors.js'
import { Integer, Moment, Nullable } from '../http/fields.js'
import { readTime } from '../http/read-time.js'
import { activeWebhookOf, webhookOf } from './find-webhook.js'
import { READS, WRITES } from './webhook-routes.js'
import { CONFLICT_REFUSAL, WEBHOOK_REFUSALS, WebhookPath } from './webhook-schemas.js'

const tags = ['webhook deliveries']
const DAY_MS = 86_400_000
/** A client that sends exactly the longest span is not refused for the time that its request took. */
const ON_THE_WAY_MS = 60_000

const Types = Type.Array(Type.Enum([...REPLAYED_TYPES]), {
  minItems: 1,
  uniqueItems: true,
  description: 'only these, of what the webhook is told of',
})

const ReplayAnswer = Type.Object(
  {
    since: Moment('events stored, and deliveries cancelled, then or later'),
    until: Nullable(
      Moment(
        'events stored, and deliveries cancelled, then or earlier; null: up to the beginning of the replay',
      ),
    ),
    eventTypes: Nullable(Types),
    sent: Integer('deliveries made, and cancelled ones that are sent again, so far'),
    looked: Integer('events looked at so far'),
    share: Type.Number({ description: 'how much of the span is done, from 0 to 1' }),
    beganAt: Moment('when it was asked for'),
    goesOnAt: Nullable(Moment('when the quota of the day lets it go on; null while it does')),
    endedAt: Nullable(Moment('when it had looked at all; null while it is under way')),
  },
  { title: 'Replay' },
)

const toAnswer = (replay: ReplayProgress): Static<typeof ReplayAnswer> => ({
  since: replay.since,
  until: replay.until,
  eventTypes: replay.types,
  sent: replay.sent,
  looked: replay.looked,
  share: replay.share,
  beganAt: replay.addedAt.toISOString(),
  goesOnAt: replay.goesOnAt?.toISOString() ?? null,
  endedAt: replay.endedAt?.toISOString() ?? null,
})

export function addReplayRoutes(app: ApiServer, { store, auth }: { store: Store; auth: GatewayAuth }): void {
  const [reading, writing] = [auth.require('webhooks:read'), auth.require('webhooks:write')]

  app.post(
    '/v1/webhooks/:id/replay-missing',
    {
      preParsing: writing,
      schema: {
        operationId: 'replayMissing',
        tags,
        security: WRITES,
        summary: 'Replay what was missed',
        description:
          'Makes deliveries of events that were stored while the webhook did not exist, was inactive or had other filters, by its filters of now, in the order of the events; with the same `webhook-id` as everywhere. Deliveries that were cancelled in the span, when the webhook was turned off or because their event became final or known while it was off, are sent again, also those of earlier events; what has another delivery gets no second. Events of the chain alone: no due dates, expectations or notices. One replay of a webhook is under way at a time, and turning the webhook off ends it. It counts for the 100,000 redeliveries of a gateway in a day (UTC), and goes on the next day.',
        params: WebhookPath,
        body: Type.Object(
          {
            since: Type.String({ description: `ISO 8601; at most ${REPLAYED_DAYS} days ago` }),
            until: Type.Optional(Type.String({ description: 'ISO 8601; default: now' })),
            eventTypes: Type.Optional(Types),
          },
          { additionalProperties: false },
        ),
        response: { 202: ReplayAnswer, ...WEBHOOK_REFUSALS, ...CONFLICT_REFUSAL },
      },
    },
    async (request, reply) => {
      const { since, until, eventTypes } = request.body
      const webhook = await activeWebhookOf(store, request, request.params.id)
      const of = {
        since: readTime('since', since, 'down'),
        until: until === undefined ? null : readTime('until', until, 'up'),
        types: eventTypes ?? null,
      }
      if (of.since.getTime() < Date.now() - REPLAYED_DAYS * DAY_MS - ON_THE_WAY_MS)
        throw new ApiError('INVALID_BODY', `Field since lies more than ${REPLAYED_DAYS} days back.`)
      if (of.until !== null && of.until < of.since)
        throw new ApiError('INVALID_BODY', 'Field until lies before since.')
      await requireRedeliveryQuota(store, webhook.gateway)
      await beginReplay(store, webhook.id, of)
      void reply.code(202)
      return toAnswer((await readReplay(store, webhook.id))!)
    },
  )

  app.get(
    '/v1/webhooks/:id/replay-missing',
    {
      preParsing: reading,
      schema: {
        operationId: 'readReplay',
        tags,
        security: READS,
        summary: 'Get the last replay',
        description:
          'The replay that is under way, or the last one since the webhook was turned on; null without one.',
        params: WebhookPath,
        response: {
          200: Type.Object({ replay: Nullable(ReplayAnswer) }, { title: 'LastReplay' }),
          ...WEBHOOK_REFUSALS,
        },
      },
    },
    async request => {
      const webhook = await webhookOf(store, request, request.params.id)
      const replay = await readReplay(store, webhook.id)
      return { replay: replay && toAnswer(replay) }
    },
  )
}
