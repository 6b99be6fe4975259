import {
  getWebhookSecret,
  rotateWebhookSecret,
  type Store,
  type WebhookSecrets,
} from '@payment-tracking/store'
import type { ApiServer } from '../api-server.js'
import { gatewayOf, type GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { noWebhook, tags, WRITES } from './webhook-routes.js'
import { SecretAnswer, WEBHOOK_REFUSALS, WebhookPath } from './webhook-schemas.js'

/** Routes that read and rotate the secret of a webhook. */
export function addSecretRoutes(app: ApiServer, { store, auth }: { store: Store; auth: GatewayAuth }): void {
  // After the rate limit, before the body is read.
  const preParsing = auth.require('webhooks:write')

  app.get(
    '/v1/webhooks/:id/secret',
    {
      preParsing,
      schema: {
        operationId: 'getWebhookSecret',
        tags,
        security: WRITES,
        summary: 'Read the secret of a webhook',
        description:
          'The secret that signs every delivery of the webhook; after a rotation, the newer of the two.',
        params: WebhookPath,
        response: { 200: SecretAnswer, ...WEBHOOK_REFUSALS },
      },
    },
    async request =>
      secretAnswer(await getWebhookSecret(store, gatewayOf(request), BigInt(request.params.id))),
  )

  app.post(
    '/v1/webhooks/:id/secret/rotate',
    {
      preParsing,
      schema: {
        operationId: 'rotateWebhookSecret',
        tags,
        security: WRITES,
        summary: 'Give a webhook a new secret',
        description: 'The old one signs beside the new one for 24 hours.',
        params: WebhookPath,
        response: { 200: SecretAnswer, ...WEBHOOK_REFUSALS },
      },
    },
    async request =>
      secretAnswer(await rotateWebhookSecret(store, gatewayOf(request), BigInt(request.params.id))),
  )
}

function secretAnswer(secrets: WebhookSecrets | null) {
  if (!secrets) throw noWebhook()
  return {
    secret: secrets.secret,
    previousSecretExpiresAt: secrets.previousSecretExpiresAt?.toISOString() ?? null,
  }
}
