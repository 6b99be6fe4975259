import { signersOf } from '@payment-tracking/domain'
import { readGatewayState, type Store } from '@payment-tracking/store'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../http/api-errors.js'
import type { GatewayClaims, GatewayTokens } from './gateway-tokens.js'

/** The wallets that may act for a gateway now; null when the gateway does not exist or was deleted. */
export async function readSigners(store: Store, gateway: string): Promise<string[] | null> {
  const state = await readGatewayState(store, gateway)
  const signers = state && signersOf(state)
  return signers && [signers.authority, signers.signer]
}

export interface GatewayAuth {
  /**
   * The claims of a request's token. Reads the projection each time: a token ends when its signer is replaced or its
   * gateway is deleted, not only when it expires.
   * @throws ApiError UNAUTHORIZED when there is no valid token
   */
  authenticate(request: FastifyRequest): Promise<GatewayClaims>
  /** The same as a hook that runs before all other checks of the request. */
  require(this: void, request: FastifyRequest, reply: FastifyReply): Promise<void>
}

const claimsOf = new WeakMap<FastifyRequest, GatewayClaims>()

/** The gateway of a request that has passed `require`. */
export function gatewayOf(request: FastifyRequest): string {
  const claims = claimsOf.get(request)
  if (!claims) throw new Error('the route has no gateway authentication')
  return claims.gateway
}

export function buildGatewayAuth(parts: { store: Store; tokens: GatewayTokens }): GatewayAuth {
  const refuse = (why: string) => new ApiError('UNAUTHORIZED', why)
  const authenticate = async (request: FastifyRequest): Promise<GatewayClaims> => {
    const token = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+) *$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token === undefined) throw refuse('Sign in as a gateway first and send its token as a bearer token.')
    const claims = await parts.tokens.read(token)
    if (!claims) throw refuse('The token is not valid, or it has expired. Please sign in again.')
    const signers = await readSigners(parts.store, claims.gateway)
    if (!signers?.includes(claims.signer))
      throw refuse('The token has ended: its gateway or its signer is not what it was. Please sign in again.')
    return claims
  }
  return {
    authenticate,
    require: async (request, reply) => {
      void reply.header('cache-control', 'no-store')
      try {
        claimsOf.set(request, await authenticate(request))
      } catch (error) {
        if (error instanceof ApiError && error.code === 'UNAUTHORIZED')
          void reply.header('www-authenticate', 'Bearer realm="gateway"')
        throw error
      }
    },
  }
}
