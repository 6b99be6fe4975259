// A gateway's webhooks. Every route covers only the token's gateway: the id of another gateway's webhook is not found.
import { isForPeople, type RetryRules } from '@payment-tracking/domain'
import {
  createWebhook,
  deleteWebhooks,
  getWebhook,
  listWebhooks,
  readGatewaySettings,
  readHealth,
  readWaits,
  updateWebhook,
  type WebhookRecord,
} from '@payment-tracking/store/admin'
import { type Store } from '@payment-tracking/store/core'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { changesOfWebhook, noteChanges, webhookChange } from '../gateway-auth/note-changes.js'
import { gatewayOf, securityOf, type GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { ApiError, NotFoundError } from '../http/api-errors.js'
import { Limit, Offset, PublicKey } from '../http/fields.js'
import { NewChoices, readChoices, WebhookChanges } from './webhook-choices.js'
import {
  CONFLICT_REFUSAL,
  CreatedWebhookAnswer,
  neverTried,
  NOTHING_WAITS,
  WEBHOOK_REFUSALS,
  WebhookAnswer,
  WebhookPath,
  toWebhookAnswer,
} from './webhook-schemas.js'

/** Once the change is committed, makes workers forget what they know of these endpoints: what they do next follows the new row. */
export type SignalEndpoints = (webhooks: readonly { id: bigint }[]) => Promise<void>

export interface WebhookRouteParts {
  store: Store
  auth: GatewayAuth
  allowPrivateTargets: boolean
  retries: RetryRules
  signalEndpoints: SignalEndpoints
}

export const tags = ['webhooks']
/** Who may call a route, as the API's description says it. */
export const READS = securityOf('webhooks:read')
export const WRITES = securityOf('webhooks:write')
const ActiveOnly = Type.Optional(Type.Boolean({ description: 'leave inactive ones out' }))
const GatewayPath = Type.Object({ gatewayPubkey: PublicKey('the gateway of the token') })
/** Requests a second to an endpoint for people whose owner chose no number: a chat takes about so many. */
const RATE_FOR_PEOPLE = 1
const NO_BODY = { 204: Type.Null({ description: 'Done.' }) }

export const noWebhook = () => new NotFoundError('There is no such webhook.')

export const foreign = () => new ApiError('FORBIDDEN', 'The token is of another gateway.')

const WHAT_TO_CHANGE =
  'Code that was written for api.tributary.so adds two lines: the header authorization: Bearer <token>, and "format": "tributary" in the body.'

export function addWebhookRoutes(
  app: ApiServer,
  { store, auth, allowPrivateTargets, retries, signalEndpoints }: WebhookRouteParts,
): void {
  // After the rate limit, before the body is read.
  const [reading, writing] = [auth.require('webhooks:read'), auth.require('webhooks:write')]
  const registering = auth.require('webhooks:write', WHAT_TO_CHANGE)
  const answersOf = async (webhooks: readonly WebhookRecord[]) => {
    const ids = webhooks.map(({ id }) => id)
    // One after the other: an order reads them in its transaction.
    const waits = await readWaits(store, ids, retries)
    const health = await readHealth(store, ids)
    // A webhook that is deleted at this moment has no row any more.
    return webhooks.map(webhook =>
      toWebhookAnswer(webhook, waits.get(webhook.id)!, health.get(webhook.id) ?? neverTried(false)),
    )
  }

  app.post(
    '/v1/webhooks',
    {
      preParsing: registering,
      schema: {
        operationId: 'createWebhook',
        tags,
        security: WRITES,
        summary: 'Create a webhook',
        description:
          'Without `format` or `recover`, the webhook has what the gateway has chosen (`PUT /v1/gateway/:gateway/settings`), or else `standard` and no recovery; the answer names both. Receivers of the incumbent need `tributary`. The fields may also be named `gatewayPubkey` and `endpointUrl`.',
        body: Type.Object(
          {
            gateway_pubkey: PublicKey('the gateway of the token'),
            endpoint_url: Type.String({ description: 'https, public, on port 443 or 8443' }),
            ...NewChoices,
          },
          { additionalProperties: false },
        ),
        response: { 201: CreatedWebhookAnswer, ...WEBHOOK_REFUSALS, ...CONFLICT_REFUSAL },
      },
    },
    async (request, reply) => {
      const { gateway_pubkey: gateway, ...body } = request.body
      if (gateway !== gatewayOf(request)) throw foreign()
      const choices = readChoices(body, { allowPrivateTargets })
      const usual = await readGatewaySettings(store, gateway)
      const format = body.format ?? usual.webhookFormat ?? 'standard'
      const recover = body.recover ?? usual.webhookRecover ?? false
      const webhook = await createWebhook(store, {
        gateway,
        endpointUrl: body.endpoint_url,
        active: true,
        ...choices,
        format,
        recover,
        ...(isForPeople(format) && body.ratePerSecond === undefined && { ratePerSecond: RATE_FOR_PEOPLE }),
      })
      await noteChanges(store, request, [webhookChange('webhook.created', webhook)])
      request.log.info({ webhookId: webhook.id.toString(), gateway }, 'webhook.registered')
      void reply.code(201)
      const twin = (await listWebhooks(store, gateway, { activeOnly: true })).find(
        each => each.endpointUrl === webhook.endpointUrl && each.id !== webhook.id,
      )
      const warning = twin
        ? `Webhook ${twin.id} sends to the same URL: this endpoint is told twice of what both are told of.`
        : null
      return {
        ...toWebhookAnswer(webhook, NOTHING_WAITS, neverTried(webhook.active)),
        secret: webhook.secret,
        warning,
      }
    },
  )

  app.get(
    '/v1/webhooks',
    {
      preParsing: reading,
      schema: {
        operationId: 'listWebhooks',
        tags,
        security: READS,
        summary: 'List webhooks',
        description: 'Oldest first. The webhooks of the gateway that the token names. Secrets are not shown.',
        querystring: Type.Object({ active_only: ActiveOnly, limit: Limit(), offset: Offset() }),
        response: { 200: Type.Array(WebhookAnswer), ...WEBHOOK_REFUSALS },
      },
    },
    async request => {
      const { active_only: activeOnly = false, limit, offset } = request.query
      const webhooks = await listWebhooks(store, gatewayOf(request), { activeOnly, limit, offset })
      return answersOf(webhooks)
    },
  )

  app.get(
    '/v1/webhooks/gateway/:gatewayPubkey',
    {
      preParsing: reading,
      schema: {
        operationId: 'listWebhooksOfGateway',
        tags,
        security: READS,
        summary: 'List webhooks of a gateway',
        description:
          'The key must be that of the token. In this path, `gateway` is never the id of a webhook.',
        params: GatewayPath,
        querystring: Type.Object({ active_only: ActiveOnly }),
        response: { 200: Type.Array(WebhookAnswer), ...WEBHOOK_REFUSALS },
      },
    },
    async request => {
      if (request.params.gatewayPubkey !== gatewayOf(request)) throw foreign()
      const { active_only: activeOnly = false } = request.query
      return answersOf(await listWebhooks(store, gatewayOf(request), { activeOnly }))
    },
  )

  app.delete(
    '/v1/webhooks/gateway/:gatewayPubkey',
    {
      preParsing: writing,
      schema: {
        operationId: 'deleteWebhooksOfGateway',
        tags,
        security: WRITES,
        summary: 'Delete all webhooks',
        description:
          'No request to them begins later than 100 ms after the answer; deliveries that wait are cancelled. In this path, `gateway` is never the id of a webhook.',
        params: GatewayPath,
        response: { ...NO_BODY, ...WEBHOOK_REFUSALS },
      },
    },
    async (request, reply) => {
      if (request.params.gatewayPubkey !== gatewayOf(request)) throw foreign()
      const deleted = await deleteWebhooks(store, gatewayOf(request))
      if (deleted.length === 0) throw new NotFoundError('The gateway has no webhooks.')
      await signalEndpoints(deleted)
      await noteChanges(
        store,
        request,
        deleted.map(webhook => webhookChange('webhook.deleted', webhook)),
      )
      void reply.code(204)
      return null
    },
  )

  app.get(
    '/v1/webhooks/:id',
    {
      preParsing: reading,
      schema: {
        operationId: 'getWebhook',
        tags,
        security: READS,
        summary: 'Get a webhook',
        description: "The gateway's own webhooks alone: the id of another gateway's webhook is not found.",
        params: WebhookPath,
        response: { 200: WebhookAnswer, ...WEBHOOK_REFUSALS },
      },
    },
    async request => {
      const webhook = await getWebhook(store, gatewayOf(request), BigInt(request.params.id))
      if (!webhook) throw noWebhook()
      return (await answersOf([webhook]))[0]!
    },
  )

  app.put(
    '/v1/webhooks/:id',
    {
      preParsing: writing,
      schema: {
        operationId: 'updateWebhook',
        tags,
        security: WRITES,
        summary: 'Update a webhook',
        description:
          'Fields that are left out stay; null clears a field that may be null. Open deliveries go to a new URL with new headers; their bodies stay. Deactivating cancels open deliveries; they can be redelivered later.',
        params: WebhookPath,
        body: WebhookChanges,
        response: { 200: WebhookAnswer, ...WEBHOOK_REFUSALS },
      },
    },
    async request => {
      const id = BigInt(request.params.id)
      const chosen = readChoices(request.body, { allowPrivateTargets })
      const before = await getWebhook(store, gatewayOf(request), id)
      if (!before) throw noWebhook()
      const becomesForPeople = isForPeople(chosen.format ?? before.format) && !isForPeople(before.format)
      const choices = becomesForPeople
        ? { ratePerSecond: before.ratePerSecond ?? RATE_FOR_PEOPLE, ...chosen }
        : chosen
      const webhook = await updateWebhook(store, gatewayOf(request), id, choices)
      if (!webhook) throw noWebhook()
      await signalEndpoints([webhook])
      await noteChanges(store, request, changesOfWebhook(before, webhook, choices))
      return (await answersOf([webhook]))[0]!
    },
  )

  app.delete(
    '/v1/webhooks/:id',
    {
      preParsing: writing,
      schema: {
        operationId: 'deleteWebhook',
        tags,
        security: WRITES,
        summary: 'Delete a webhook',
        description:
          'No request to it begins later than 100 ms after the answer; deliveries that wait are cancelled.',
        params: WebhookPath,
        response: { ...NO_BODY, ...WEBHOOK_REFUSALS },
      },
    },
    async (request, reply) => {
      const [deleted] = await deleteWebhooks(store, gatewayOf(request), BigInt(request.params.id))
      if (!deleted) throw noWebhook()
      await signalEndpoints([deleted])
      await noteChanges(store, request, [webhookChange('webhook.deleted', deleted)])
      void reply.code(204)
      return null
    },
  )
}
