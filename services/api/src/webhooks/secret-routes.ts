import {
  getWebhook,
  getWebhookSecret,
  rotateWebhookSecret,
  type WebhookSecrets,
} from '@payment-tracking/store/admin'
import { type Store } from '@payment-tracking/store/core'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { noteChanges, webhookChange } from '../gateway-auth/note-changes.js'
import { gatewayOf, type GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { noWebhook, tags, WRITES, type SignalEndpoints } from './webhook-routes.js'
import { CONFLICT_REFUSAL, SecretAnswer, WEBHOOK_REFUSALS, WebhookPath } from './webhook-schemas.js'

/** How long the old secret signs beside the new one, unless the request says otherwise. */
const USUAL_GRACE_SECONDS = 86_400
const MOST_GRACE_SECONDS = 604_800

const Rotation = Type.Union([
  Type.Object(
    {
      graceSeconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MOST_GRACE_SECONDS,
          default: USUAL_GRACE_SECONDS,
          description: 'how long the old secret still signs',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  Type.Null(),
])

/** Routes that read and rotate the secret of a webhook. */
export function addSecretRoutes(
  app: ApiServer,
  { store, auth, signalEndpoints }: { store: Store; auth: GatewayAuth; signalEndpoints: SignalEndpoints },
): void {
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
        summary: "Get a webhook's secret",
        description: 'The secret that signs every delivery of the webhook; after a rotation, the newest.',
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
        summary: "Rotate a webhook's secret",
        description:
          'The old one signs beside the new one for 24 hours, or for `graceSeconds`. Rotating again ends no secret early: each signs until its own time, at most 5 at once. With `graceSeconds` 0 only the new secret signs from now on: for a secret that others know.',
        params: WebhookPath,
        body: Rotation,
        response: { 200: SecretAnswer, ...WEBHOOK_REFUSALS, ...CONFLICT_REFUSAL },
      },
    },
    async request => {
      const { graceSeconds = USUAL_GRACE_SECONDS } = request.body ?? {}
      const id = BigInt(request.params.id)
      const answer = secretAnswer(await rotateWebhookSecret(store, gatewayOf(request), id, graceSeconds))
      await signalEndpoints([{ id }])
      await noteChanges(store, request, [
        webhookChange('webhook.secret_rotated', (await getWebhook(store, gatewayOf(request), id))!),
      ])
      return answer
    },
  )
}

function secretAnswer(secrets: WebhookSecrets | null) {
  if (!secrets) throw noWebhook()
  return {
    secret: secrets.secret,
    previousSecretExpiresAt: secrets.previousSecretExpiresAt?.toISOString() ?? null,
  }
}
