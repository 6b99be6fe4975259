import type { JWK } from 'jose'
import type { RouteParts } from '../route-parts.js'
import type { ApiServer } from '../api-server.js'
import type { ApiConfig } from '../config.js'
import { answerBeforeCommit } from '../http/answer-before-commit.js'
import { addApiKeyRoutes } from './api-key-routes.js'
import type { CheckWaiting } from './gateway-auth.js'
import { addGatewaySessionRoutes } from './gateway-session-routes.js'
import { addKeyRoutes } from './key-routes.js'
import { addSessionRoutes } from './session-routes.js'
import { addSignInRoutes } from './sign-in-routes.js'
import type { SignInTools } from './sign-in-tools.js'

/** Sign-in may use this fraction of a client's requests a minute. */
const SIGN_IN_SHARE = 10

export async function gatewayAuthRoutes(
  app: ApiServer,
  parts: RouteParts &
    SignInTools & {
      config: ApiConfig
      checkWaiting: CheckWaiting
      checkoutKeys: { published: readonly JWK[] } | undefined
    },
): Promise<void> {
  const limit = Math.max(1, Math.floor(parts.config.RATE_LIMIT_MAX / SIGN_IN_SHARE))
  addSignInRoutes(app, { ...parts, tokens: parts.gatewayTokens, limit })
  addSessionRoutes(app, { ...parts, limit })
  addKeyRoutes(app, [...parts.keys.published.keys, ...(parts.checkoutKeys?.published ?? [])])
  await app.register((writing, _options, done) => {
    answerBeforeCommit(writing, parts.store)
    addApiKeyRoutes(writing, parts)
    addGatewaySessionRoutes(writing, parts)
    done()
  })
}
