import type { DeliveryQueue } from '@payment-tracking/queue'
import type { RedisConnections } from '@payment-tracking/redis'
import { afterCommit, type Store } from '@payment-tracking/store/core'
import type { ApiServer } from './api-server.js'
import { answerBeforeCommit } from './http/answer-before-commit.js'
import type { ApiConfig } from './config.js'
import { addChangeRoutes } from './changes/change-routes.js'
import { addExpectationRoutes } from './expectations/expectation-routes.js'
import { addFeedRoute, type FeedParts } from './feed/feed-route.js'
import { addAnswerRoutes } from './webhooks/answer-routes.js'
import { addDeliveryRoutes } from './webhooks/delivery-routes.js'
import { addReplayRoutes } from './webhooks/replay-routes.js'
import { boundCostlyReads, type CostlyReadLimits } from './limits/costly-reads.js'
import { addMerchantRoutes } from './merchant/merchant-routes.js'
import type { Tokens } from '@payment-tracking/domain'
import { addSecretRoutes } from './webhooks/secret-routes.js'
import { addGatewayDeliveryRoutes } from './webhooks/gateway-delivery-routes.js'
import { addSettingsRoutes } from './webhooks/settings-routes.js'
import { addWebhookRoutes } from './webhooks/webhook-routes.js'
import { buildGatewayAuth, type CheckWaiting, type GatewayAuth } from './gateway-auth/gateway-auth.js'
import { buildGatewayTokens } from './gateway-auth/gateway-tokens.js'
import { addApiKeyRoutes } from './gateway-auth/api-key-routes.js'
import { addKeyRoutes } from './gateway-auth/key-routes.js'
import { readSignInOrigins } from './gateway-auth/sign-in-origins.js'
import { buildSessionCookie } from './gateway-auth/session-cookie.js'
import { addGatewaySessionRoutes } from './gateway-auth/gateway-session-routes.js'
import { addSessionRoutes } from './gateway-auth/session-routes.js'
import { buildSignInProofs } from './gateway-auth/sign-in-proof.js'
import { addSignInRoutes } from './gateway-auth/sign-in-routes.js'
import { readSigningKeys } from './gateway-auth/signing-keys.js'
import { buildCheckoutTokens } from './checkout/checkout-tokens.js'
import { readCheckoutKeys } from './checkout/checkout-keys.js'
import { addTokenRoutes } from './checkout/token-routes.js'

export interface GatewayRouteParts {
  config: ApiConfig
  store: Store
  redis: RedisConnections | undefined
  queue: DeliveryQueue | undefined
  /** how amounts are shown */
  shownTokens: Tokens
  nowMs: () => number
  feed: Omit<FeedParts, 'auth'>
  costlyReads: Omit<CostlyReadLimits, 'nowMs'>
}

/** Sign-in may use this fraction of a client's requests a minute. */
const SIGN_IN_SHARE = 10

/**
 * Adds sign-in and all routes that need a gateway's token.
 * @returns the check of a gateway's token, for routes that show more to their gateway
 * @throws ConfigError when JWT_PRIVATE_KEYS cannot be used
 */
export async function addGatewayRoutes(
  app: ApiServer,
  { config, store, redis, queue, shownTokens, nowMs, feed, costlyReads }: GatewayRouteParts,
): Promise<GatewayAuth> {
  const keys = await readSigningKeys(config.JWT_PRIVATE_KEYS)
  const tokens = buildGatewayTokens(keys, config.ENVIRONMENT)
  const checkoutKeys =
    config.CHECKOUT_TOKEN_KEYS === undefined
      ? undefined
      : await readCheckoutKeys(config.CHECKOUT_TOKEN_KEYS, new Set(keys.verifying.keys()))
  const share = (part: number) => Math.max(1, Math.floor(config.RATE_LIMIT_MAX / part))
  const origins = readSignInOrigins(config.PUBLIC_ORIGINS, config.PORT)
  const cookie = buildSessionCookie(config.ENVIRONMENT, origins)
  const auth = buildGatewayAuth({ store, tokens, origins, cookie })
  const proofs = buildSignInProofs({ store, redis, keys, environment: config.ENVIRONMENT, origins })
  const checkWaiting: CheckWaiting = gateway =>
    afterCommit(() => {
      feed.waits.wake([gateway])
      void redis?.wakeFeeds([gateway])
      return Promise.resolve()
    })
  await app.register(async (scope: ApiServer) => {
    allowEmptyBodies(scope)
    const limit = share(SIGN_IN_SHARE)
    addSignInRoutes(scope, { store, proofs, tokens, origins, limit })
    addSessionRoutes(scope, { store, auth, proofs, origins, cookie, limit, checkWaiting })
    addKeyRoutes(scope, [...keys.published.keys, ...(checkoutKeys?.published ?? [])])
    addTokenRoutes(scope, {
      tokens:
        checkoutKeys &&
        buildCheckoutTokens({
          store,
          keys: checkoutKeys,
          issuer: config.CHECKOUT_TOKEN_ISSUER,
          graceSeconds: config.OVERDUE_GRACE_SECONDS,
          nowMs,
        }),
    })
    await scope.register((merchant: ApiServer) => {
      boundCostlyReads(merchant, { ...costlyReads, nowMs })
      addMerchantRoutes(merchant, {
        auth,
        nowMs,
        tokens: shownTokens,
        programId: config.PROGRAM_ID,
        graceSeconds: config.OVERDUE_GRACE_SECONDS,
      })
      return Promise.resolve()
    })
    const retries = {
      backoffMs: config.WEBHOOK_BACKOFF_MS,
      backoffFactor: config.WEBHOOK_BACKOFF_FACTOR,
    }
    addChangeRoutes(scope, { auth })
    addAnswerRoutes(scope, { auth, nowMs })
    await scope.register((writing: ApiServer) => {
      answerBeforeCommit(writing, store)
      addApiKeyRoutes(writing, { store, auth, nowMs, checkWaiting })
      addGatewaySessionRoutes(writing, { store, auth, cookie, checkWaiting })
      addWebhookRoutes(writing, {
        store,
        auth,
        allowPrivateTargets: config.WEBHOOK_ALLOW_PRIVATE_TARGETS,
        retries,
      })
      addSettingsRoutes(writing, { store, auth })
      addSecretRoutes(writing, { store, auth })
      return Promise.resolve()
    })
    // Ingest may wait for rows that these change: each statement is a transaction of its own, in which no process can be paused.
    addDeliveryRoutes(scope, { store, auth, queue, tokens: shownTokens, retries })
    addReplayRoutes(scope, { store, auth })
    await addExpectationRoutes(scope, { store, auth, nowMs })
    addGatewayDeliveryRoutes(scope, { auth, retries })
    addFeedRoute(scope, { ...feed, auth })
  })
  return auth
}

/** Many clients declare a JSON body in every request. Routes that need no body accept an empty body. */
function allowEmptyBodies(scope: ApiServer): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.removeContentTypeParser('application/json')
  scope.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') done(null, undefined)
    else void parse(request, text as string, done)
  })
}
