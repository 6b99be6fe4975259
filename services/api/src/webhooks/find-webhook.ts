import { getWebhook, type WebhookRecord } from '@payment-tracking/store/admin'
import { type Store } from '@payment-tracking/store/core'
import type { FastifyRequest } from 'fastify'
import { gatewayOf } from '../gateway-auth/gateway-auth.js'
import { ApiError } from '../http/api-errors.js'
import { noWebhook } from './webhook-routes.js'

/** @throws NotFoundError when the gateway of the token has no such webhook */
export async function webhookOf(store: Store, request: FastifyRequest, id: number): Promise<WebhookRecord> {
  const webhook = await getWebhook(store, gatewayOf(request), BigInt(id))
  if (!webhook) throw noWebhook()
  return webhook
}

/** @throws NotFoundError, ApiError WEBHOOK_INACTIVE */
export async function activeWebhookOf(
  store: Store,
  request: FastifyRequest,
  id: number,
): Promise<WebhookRecord> {
  const webhook = await webhookOf(store, request, id)
  if (!webhook.active)
    throw new ApiError(
      'WEBHOOK_INACTIVE',
      'The webhook is not active; activate it first: PUT it with {"active": true}.',
    )
  return webhook
}
