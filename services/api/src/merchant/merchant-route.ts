// What the routes of a gateway's own figures have in common.
import type { CustomerRules } from '@payment-tracking/store/reads'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { gatewayOf, securityOf } from '../gateway-auth/gateway-auth.js'
import { ApiError } from '../http/api-errors.js'
import { READ_REFUSALS, refusal } from '../http/error-answer-schema.js'
import { PublicKey } from '../http/fields.js'

export const MERCHANT_BASE = '/v1/gateway/:gateway/merchant'
export const tags = ['merchant']
export const security = securityOf('merchant:read')
export const REFUSALS = {
  401: refusal('There is no token, or none that counts.'),
  403: refusal('The token is of another gateway.'),
  ...READ_REFUSALS,
}
/** Of routes that are `costly`. */
export const KEPT =
  ' An answer that took many statements is kept for a minute: the header `age` says how old it is, and `x-min-position` asks for a newer one.'
export const params = Type.Object({ gateway: PublicKey('the gateway of the token') })

/** By which a customer is judged now. */
export const clockOf = ({
  nowMs,
  graceSeconds,
  programId,
}: {
  nowMs: () => number
  graceSeconds: number
  programId: string
}): CustomerRules => ({
  nowSeconds: Math.floor(nowMs() / 1_000),
  graceSeconds,
  programId,
})

/** @throws ApiError when the path names another gateway than the token */
export function own(request: FastifyRequest & { params: { gateway: string } }): string {
  if (request.params.gateway !== gatewayOf(request))
    throw new ApiError('FORBIDDEN', 'The token is of another gateway.')
  return request.params.gateway
}
