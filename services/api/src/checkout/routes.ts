import type { AddRoutes } from '../parts.js'
import { buildCheckoutTokens } from './checkout-tokens.js'
import { addTokenRoutes } from './token-routes.js'

export const checkoutRoutes: AddRoutes = (app, { checkoutKeys: keys, config, ...parts }) =>
  addTokenRoutes(app, {
    tokens: keys && buildCheckoutTokens({ ...parts, keys, issuer: config.CHECKOUT_TOKEN_ISSUER }),
  })
