import type { RedisConnections } from '@payment-tracking/redis'
import type { Store } from '@payment-tracking/store/core'
import type { ApiConfig } from '../config.js'
import { buildGatewayAuth, type GatewayAuth } from './gateway-auth.js'
import { buildGatewayTokens, type GatewayTokens } from './gateway-tokens.js'
import { buildSessionCookie, type SessionCookie } from './session-cookie.js'
import { readSignInOrigins, type SignInOrigins } from './sign-in-origins.js'
import { buildSignInProofs, type SignInProofs } from './sign-in-proof.js'
import { readSigningKeys, type SigningKeys } from './signing-keys.js'

/** What signs gateways in and checks who they are. */
export interface SignInTools {
  keys: SigningKeys
  gatewayTokens: GatewayTokens
  origins: SignInOrigins
  cookie: SessionCookie
  auth: GatewayAuth
  proofs: SignInProofs
}

/** @throws ConfigError when JWT_PRIVATE_KEYS cannot be used */
export async function buildSignIn({
  config,
  store,
  redis,
}: {
  config: ApiConfig
  store: Store
  redis: RedisConnections | undefined
}): Promise<SignInTools> {
  const keys = await readSigningKeys(config.JWT_PRIVATE_KEYS)
  const gatewayTokens = buildGatewayTokens(keys, config.ENVIRONMENT)
  const origins = readSignInOrigins(config.PUBLIC_ORIGINS, config.PORT)
  const cookie = buildSessionCookie(config.ENVIRONMENT, origins)
  return {
    keys,
    gatewayTokens,
    origins,
    cookie,
    auth: buildGatewayAuth({ store, tokens: gatewayTokens, origins, cookie }),
    proofs: buildSignInProofs({ store, redis, keys, environment: config.ENVIRONMENT, origins }),
  }
}
