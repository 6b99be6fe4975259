// The deliveries of a webhook, and their redelivery.
import { randomBytes } from 'node:crypto'
import type { DeliveryRef } from '@payment-tracking/contracts'
import { bodyInFormat, renderTestMessage, type RetryRules, type Tokens } from '@payment-tracking/domain'
import type { DeliveryQueue } from '@payment-tracking/queue'
import { afterCommit, type Store } from '@payment-tracking/store/core'
import {
  beginRedelivery,
  doWebhookWork,
  insertMessage,
  redeliverOne,
  requireRedeliveryQuota,
} from '@payment-tracking/store/deliveries'
import {
  getDelivery,
  readAttemptSecrets,
  listDeliveries,
  searchDeliveries,
  type DeliveryRecord,
} from '@payment-tracking/store/admin'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { gatewayOf, type GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { InvalidParameterError, NotFoundError } from '../http/api-errors.js'
import { Limit, Offset, Signature, TrackingId } from '../http/fields.js'
import { readTime } from '../http/read-time.js'
import { activeWebhookOf, webhookOf } from './find-webhook.js'
import { READS, WRITES } from './webhook-routes.js'
import {
  CONFLICT_REFUSAL,
  DeliveryAnswer,
  DeliveryDetailAnswer,
  DeliveryPath,
  Status,
  toAttemptAnswer,
  toDeliveryAnswer,
  WEBHOOK_REFUSALS,
  WebhookPath,
} from './webhook-schemas.js'

export interface DeliveryRouteParts {
  store: Store
  auth: GatewayAuth
  /** without the queue, the workers' sweepers find new deliveries */
  queue: DeliveryQueue | undefined
  tokens: Tokens
  retries: RetryRules
}

const tags = ['webhook deliveries']
/** Deliveries that the request of a redelivery makes due itself: few, so that it answers at once, whatever is stored. */
const DUE_AT_ONCE = 50
const FOUND_BY = {
  status: Type.Optional(Status),
  trackingId: Type.Optional(TrackingId('only of payments and policies with this tracking ID')),
  signature: Type.Optional(Signature('only of events of this transaction')),
  limit: Limit(),
  offset: Offset(),
}

export function addDeliveryRoutes(
  app: ApiServer,
  { store, auth, queue, tokens, retries }: DeliveryRouteParts,
): void {
  // After the rate limit, before the body is read.
  const [reading, writing] = [auth.require('webhooks:read'), auth.require('webhooks:write')]

  const answerOf = (delivery: DeliveryRecord) => toDeliveryAnswer(delivery, retries)
  /** Once the rows are committed. While Redis is away, a sweeper finds the rows a little later. */
  const enqueue = (request: FastifyRequest, deliveries: DeliveryRef[]): Promise<void> =>
    afterCommit(async () =>
      queue
        ?.promoteDeliveries(deliveries)
        .then(() => undefined)
        .catch((err: unknown) =>
          request.log.warn({ err, deliveries: deliveries.length }, 'deliveries.not-enqueued'),
        ),
    )

  app.get(
    '/v1/webhooks/deliveries',
    {
      preParsing: reading,
      schema: {
        operationId: 'searchDeliveries',
        tags,
        security: READS,
        summary: 'Search deliveries',
        description: "Of all the gateway's webhooks, newest first. By `trackingId`, `signature` or both.",
        querystring: Type.Object(FOUND_BY),
        response: { 200: Type.Array(DeliveryAnswer), ...WEBHOOK_REFUSALS },
      },
    },
    async request => {
      const { trackingId, signature } = request.query
      if (trackingId === undefined && signature === undefined)
        throw new InvalidParameterError('trackingId', 'or signature is needed')
      return (await searchDeliveries(request.store, gatewayOf(request), request.query)).map(answerOf)
    },
  )

  app.get(
    '/v1/webhooks/:id/deliveries',
    {
      preParsing: reading,
      schema: {
        operationId: 'listDeliveries',
        tags,
        security: READS,
        summary: 'List deliveries of a webhook',
        description:
          'Newest first. A delivery is one event for one webhook: where it stands, and how often it was tried.',
        params: WebhookPath,
        querystring: Type.Object(FOUND_BY),
        response: { 200: Type.Array(DeliveryAnswer), ...WEBHOOK_REFUSALS },
      },
    },
    async request => {
      const webhook = await webhookOf(request.store, request, request.params.id)
      return (await listDeliveries(request.store, webhook.id, request.query)).map(answerOf)
    },
  )

  app.get(
    '/v1/webhooks/:id/deliveries/:deliveryId',
    {
      preParsing: reading,
      schema: {
        operationId: 'getDelivery',
        tags,
        security: READS,
        summary: 'Get a delivery',
        description:
          'The body that was sent, and each attempt with the headers that signed it, its time, its status and its error.',
        params: DeliveryPath,
        response: { 200: DeliveryDetailAnswer, ...WEBHOOK_REFUSALS },
      },
    },
    async request => {
      const webhook = await webhookOf(request.store, request, request.params.id)
      const delivery = await getDelivery(request.store, webhook.id, BigInt(request.params.deliveryId))
      if (!delivery) throw noDelivery()
      const body = bodyInFormat(delivery, webhook.format, tokens)
      const secrets = await readAttemptSecrets(request.store, webhook.id, delivery.id)
      const message = { id: delivery.messageId, body }
      return {
        ...answerOf(delivery),
        body,
        attemptLog: delivery.attemptLog.map(attempt =>
          toAttemptAnswer(attempt, message, secrets.get(attempt.number)),
        ),
      }
    },
  )

  app.post(
    '/v1/webhooks/:id/deliveries/:deliveryId/redeliver',
    {
      preParsing: writing,
      schema: {
        operationId: 'redeliver',
        tags,
        security: WRITES,
        summary: 'Redeliver',
        description:
          'With the same id and body. The delivery becomes pending and gets all its tries anew. The receiver can recognise it by `webhook-id`.',
        params: DeliveryPath,
        response: { 202: DeliveryAnswer, ...WEBHOOK_REFUSALS, ...CONFLICT_REFUSAL },
      },
    },
    async (request, reply) => {
      const webhook = await activeWebhookOf(store, request, request.params.id)
      const id = BigInt(request.params.deliveryId)
      if (!(await getDelivery(store, webhook.id, id))) throw noDelivery()
      await requireRedeliveryQuota(store, webhook.gateway)
      await enqueue(request, await redeliverOne(store, webhook.id, id))
      void reply.code(202)
      return answerOf((await getDelivery(store, webhook.id, id))!)
    },
  )

  app.post(
    '/v1/webhooks/:id/redeliver',
    {
      preParsing: writing,
      schema: {
        operationId: 'redeliverMany',
        tags,
        security: WRITES,
        summary: 'Redeliver a span of time',
        description:
          'What was made in it. Failed and cancelled deliveries, or those of one status, oldest first. The first 50 are due with the answer; `more` says that others follow by themselves. One redelivery of a webhook is under way at a time. What exceeds 100,000 deliveries of a gateway in a day (UTC) follows the next day.',
        params: WebhookPath,
        body: Type.Object(
          {
            since: Type.String({ description: 'ISO 8601; deliveries made then or later' }),
            until: Type.Optional(Type.String({ description: 'ISO 8601; deliveries made then or earlier' })),
            status: Type.Optional(Type.Enum(['failed', 'cancelled', 'delivered'])),
          },
          { additionalProperties: false },
        ),
        response: {
          202: Type.Object(
            {
              count: Type.Integer({ description: 'deliveries that are due now, at most 50' }),
              more: Type.Boolean({ description: 'others follow; nothing needs to be asked again' }),
            },
            { title: 'Redelivery' },
          ),
          ...WEBHOOK_REFUSALS,
          ...CONFLICT_REFUSAL,
        },
      },
    },
    async (request, reply) => {
      const { since, until, status } = request.body
      const webhook = await activeWebhookOf(store, request, request.params.id)
      await requireRedeliveryQuota(store, webhook.gateway)
      await beginRedelivery(store, webhook.id, {
        since: readTime('since', since, 'down'),
        until: until === undefined ? null : readTime('until', until, 'up'),
        states: status === undefined ? ['failed', 'cancelled'] : [status],
      })
      // A small page at once; workers do the rest. If a worker was faster, it has done the page already.
      const page = await doWebhookWork(store, {
        kinds: ['redeliver'],
        only: webhook.id,
        limit: DUE_AT_ONCE,
      })
      const deliveries = page?.deliveries ?? []
      await enqueue(request, deliveries)
      void reply.code(202)
      return { count: deliveries.length, more: page?.hasMore ?? true }
    },
  )

  app.post(
    '/v1/webhooks/:id/test',
    {
      preParsing: writing,
      schema: {
        operationId: 'testWebhook',
        tags,
        security: WRITES,
        summary: 'Send a test',
        description:
          'Its type is `webhook.test`; it is signed, retried and logged as any other. A webhook of the format `tributary` is sent `{"event": "webhook.test", …}`.',
        params: WebhookPath,
        response: { 202: DeliveryAnswer, ...WEBHOOK_REFUSALS, ...CONFLICT_REFUSAL },
      },
    },
    async (request, reply) => {
      const webhook = await activeWebhookOf(store, request, request.params.id)
      const message = renderTestMessage({
        webhookId: webhook.id,
        gateway: webhook.gateway,
        format: webhook.format,
        nonce: randomBytes(12).toString('hex'),
        at: new Date(),
      })
      const delivery = await insertMessage(store, webhook.id, message)
      await enqueue(request, [delivery])
      void reply.code(202)
      return answerOf((await getDelivery(store, webhook.id, delivery.id))!)
    },
  )
}

const noDelivery = () => new NotFoundError('There is no such delivery.')
