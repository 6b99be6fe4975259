import type { RouteParts } from '../route-parts.js'
import type { ApiServer } from '../api-server.js'
import type { ApiConfig } from '../config.js'
import type { GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { answerBeforeCommit } from '../http/answer-before-commit.js'
import { addAnswerRoutes } from './answer-routes.js'
import { addDeliveryRoutes, type DeliveryRouteParts } from './delivery-routes.js'
import { addGatewayDeliveryRoutes } from './gateway-delivery-routes.js'
import { addReplayRoutes } from './replay-routes.js'
import { addSecretRoutes } from './secret-routes.js'
import { addSettingsRoutes } from './settings-routes.js'
import { addWebhookRoutes, type SignalEndpoints } from './webhook-routes.js'

export async function webhookRoutes(
  app: ApiServer,
  parts: RouteParts &
    DeliveryRouteParts & { auth: GatewayAuth; config: ApiConfig; signalEndpoints: SignalEndpoints },
): Promise<void> {
  await app.register((writing, _options, done) => {
    answerBeforeCommit(writing, parts.store)
    addWebhookRoutes(writing, {
      ...parts,
      allowPrivateTargets: parts.config.WEBHOOK_ALLOW_PRIVATE_TARGETS,
    })
    addSettingsRoutes(writing, parts)
    addSecretRoutes(writing, parts)
    done()
  })
  // Ingest may wait for rows that these change: each statement is a transaction of its own, in which no process can be paused.
  addDeliveryRoutes(app, parts)
  addReplayRoutes(app, parts)
  addAnswerRoutes(app, parts)
  addGatewayDeliveryRoutes(app, parts)
}
