// A gateway's webhooks. Every route covers only the token's gateway: the id of another gateway's webhook is not found.
import { checkEndpointUrl } from '@payment-tracking/domain'
import {
  createWebhook,
  deleteWebhooks,
  getWebhook,
  listWebhooks,
  setWebhookActive,
  type Store,
} from '@payment-tracking/store'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { gatewayOf, type GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { ApiError, NotFoundError } from '../http/api-errors.js'
import { Limit, Offset, PublicKey } from '../schemas/fields.js'
import {
  CONFLICT_REFUSAL,
  CreatedWebhookAnswer,
  Description,
  EventTypes,
  Format,
  WEBHOOK_REFUSALS,
  WebhookAnswer,
  WebhookFinality,
  WebhookPath,
  toWebhookAnswer,
} from './webhook-schemas.js'

export interface WebhookRouteParts {
  store: Store
  auth: GatewayAuth
  allowPrivateTargets: boolean
}

export const tags = ['webhooks']
export const security = [{ gatewayToken: [] }, { apiKey: [] }]
const ActiveOnly = Type.Optional(Type.Boolean({ description: 'leave inactive ones out' }))
const GatewayPath = Type.Object({ gatewayPubkey: PublicKey('the gateway of the token') })
const NO_BODY = { 204: Type.Null({ description: 'Done.' }) }

export const noWebhook = () => new NotFoundError('There is no such webhook.')

const foreign = () => new ApiError('FORBIDDEN', 'The token is of another gateway.')

export function addWebhookRoutes(
  app: ApiServer,
  { store, auth, allowPrivateTargets }: WebhookRouteParts,
): void {
  // After the rate limit, before the body is read.
  const [reading, writing] = [auth.require('webhooks:read'), auth.require('webhooks:write')]

  app.post(
    '/v1/webhooks',
    {
      preParsing: writing,
      schema: {
        operationId: 'createWebhook',
        tags,
        security,
        summary: 'Register a webhook',
        body: Type.Object(
          {
            gateway_pubkey: PublicKey('the gateway of the token'),
            endpoint_url: Type.String({ description: 'https, public, on port 443 or 8443' }),
            active: Type.Optional(Type.Boolean({ default: true, description: 'whether it begins active' })),
            eventTypes: Type.Optional(EventTypes),
            finality: Type.Optional(WebhookFinality),
            format: Type.Optional(Format),
            description: Type.Optional(Description),
          },
          { additionalProperties: false },
        ),
        response: { 201: CreatedWebhookAnswer, ...WEBHOOK_REFUSALS, ...CONFLICT_REFUSAL },
      },
    },
    async (request, reply) => {
      const { gateway_pubkey: gateway, endpoint_url: endpointUrl, active = true } = request.body
      const { eventTypes = [], finality = 'confirmed', format, description } = request.body
      if (gateway !== gatewayOf(request)) throw foreign()
      const check = checkEndpointUrl(endpointUrl, { allowPrivateTargets })
      if (!check.ok) throw new ApiError('INVALID_ENDPOINT_URL', `Field endpoint_url ${check.reason}.`)
      const webhook = await createWebhook(store, {
        ...{ gateway, endpointUrl, active, eventTypes, finality },
        ...(format === undefined ? {} : { format }),
        ...(description === undefined ? {} : { description }),
      })
      request.log.info({ webhookId: webhook.id.toString(), gateway }, 'webhook.registered')
      void reply.code(201)
      return { ...toWebhookAnswer(webhook), secret: webhook.secret }
    },
  )

  app.get(
    '/v1/webhooks',
    {
      preParsing: reading,
      schema: {
        operationId: 'listWebhooks',
        tags,
        security,
        summary: "List the gateway's webhooks, oldest first",
        querystring: Type.Object({ active_only: ActiveOnly, limit: Limit(), offset: Offset() }),
        response: { 200: Type.Array(WebhookAnswer), ...WEBHOOK_REFUSALS },
      },
    },
    async request => {
      const { active_only: activeOnly = false, limit, offset } = request.query
      const webhooks = await listWebhooks(store, gatewayOf(request), { activeOnly, limit, offset })
      return webhooks.map(toWebhookAnswer)
    },
  )

  app.get(
    '/v1/webhooks/gateway/:gatewayPubkey',
    {
      preParsing: reading,
      schema: {
        operationId: 'listWebhooksOfGateway',
        tags,
        security,
        summary: "List a gateway's webhooks by its key",
        params: GatewayPath,
        querystring: Type.Object({ active_only: ActiveOnly }),
        response: { 200: Type.Array(WebhookAnswer), ...WEBHOOK_REFUSALS },
      },
    },
    async request => {
      if (request.params.gatewayPubkey !== gatewayOf(request)) throw foreign()
      const { active_only: activeOnly = false } = request.query
      return (await listWebhooks(store, gatewayOf(request), { activeOnly })).map(toWebhookAnswer)
    },
  )

  app.delete(
    '/v1/webhooks/gateway/:gatewayPubkey',
    {
      preParsing: writing,
      schema: {
        operationId: 'deleteWebhooksOfGateway',
        tags,
        security,
        summary: 'Delete all webhooks of the gateway',
        params: GatewayPath,
        response: { ...NO_BODY, ...WEBHOOK_REFUSALS },
      },
    },
    async (request, reply) => {
      if (request.params.gatewayPubkey !== gatewayOf(request)) throw foreign()
      if ((await deleteWebhooks(store, gatewayOf(request))) === 0)
        throw new NotFoundError('The gateway has no webhooks.')
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/v1/webhooks/:id',
    {
      preParsing: reading,
      schema: {
        operationId: 'getWebhook',
        tags,
        security,
        summary: 'Read a webhook',
        params: WebhookPath,
        response: { 200: WebhookAnswer, ...WEBHOOK_REFUSALS },
      },
    },
    async request => {
      const webhook = await getWebhook(store, gatewayOf(request), BigInt(request.params.id))
      if (!webhook) throw noWebhook()
      return toWebhookAnswer(webhook)
    },
  )

  app.put(
    '/v1/webhooks/:id',
    {
      preParsing: writing,
      schema: {
        operationId: 'setWebhookActive',
        tags,
        security,
        summary: 'Activate or deactivate a webhook',
        description: 'Deactivating cancels its open deliveries; they can be redelivered later.',
        params: WebhookPath,
        body: Type.Object({ active: Type.Boolean() }, { additionalProperties: false }),
        response: { 200: WebhookAnswer, ...WEBHOOK_REFUSALS },
      },
    },
    async request => {
      const id = BigInt(request.params.id)
      const webhook = await setWebhookActive(store, gatewayOf(request), id, request.body.active)
      if (!webhook) throw noWebhook()
      return toWebhookAnswer(webhook)
    },
  )

  app.delete(
    '/v1/webhooks/:id',
    {
      preParsing: writing,
      schema: {
        operationId: 'deleteWebhook',
        tags,
        security,
        summary: 'Delete a webhook',
        params: WebhookPath,
        response: { ...NO_BODY, ...WEBHOOK_REFUSALS },
      },
    },
    async (request, reply) => {
      if ((await deleteWebhooks(store, gatewayOf(request), BigInt(request.params.id))) === 0)
        throw noWebhook()
      return reply.code(204).send(null)
    },
  )
}
