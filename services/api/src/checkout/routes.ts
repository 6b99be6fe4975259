import type { RouteParts } from '../route-parts.js'
import type { ApiServer } from '../api-server.js'
import type { ApiConfig } from '../config.js'
import type { CheckoutKeys } from './checkout-keys.js'
import { buildCheckoutTokens } from './checkout-tokens.js'
import { addTokenRoutes } from './token-routes.js'

export const checkoutRoutes = (
  app: ApiServer,
  {
    checkoutKeys: keys,
    config,
    ...parts
  }: RouteParts & { checkoutKeys: CheckoutKeys | undefined; config: ApiConfig },
): void =>
  addTokenRoutes(app, {
    tokens: keys && buildCheckoutTokens({ ...parts, keys, issuer: config.CHECKOUT_TOKEN_ISSUER }),
  })
