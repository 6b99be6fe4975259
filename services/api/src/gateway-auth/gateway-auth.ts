import { signerSince } from '@payment-tracking/domain'
import {
  findApiKey,
  noteApiKeyUse,
  readGatewayState,
  whyNoApiKey,
  type ApiKeyScope,
  type Store,
} from '@payment-tracking/store'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../http/api-errors.js'
import { hashApiKey, isApiKey } from './api-key.js'
import type { GatewayClaims, GatewayTokens } from './gateway-tokens.js'

/** What a request must bring: a wallet's token, or also an API key with a scope, or with one of several. */
export type Access = ApiKeyScope | 'wallet' | readonly ApiKeyScope[]

/** Any of them will do. */
const scopesOf = (access: Exclude<Access, 'wallet'>): readonly ApiKeyScope[] =>
  typeof access === 'string' ? [access] : access

/** How the API's description states what a request must bring: a scope is the role that an API key needs. */
export const securityOf = (access: Access): { [scheme: string]: string[] }[] => [
  { gatewayToken: [] },
  ...(access === 'wallet' ? [] : scopesOf(access).map(scope => ({ apiKey: [scope] }))),
]

export interface GatewayAuth {
  /**
   * Finds the gateway of a request by its token or API key. A token or key is void once its gateway is deleted, or once
   * the wallet that obtained it no longer signs for the gateway, also when that wallet comes back. So this reads the gateway from the database each time.
   * @throws ApiError UNAUTHORIZED without a valid token or key; SCOPE_MISSING or SIGN_IN_REQUIRED when the key has no
   *   right to this request
   */
  authenticate(request: FastifyRequest, access: Access): Promise<GatewayClaims>
  /**
   * The same as a hook that runs before all other checks of the request.
   * @param hint told to a client that sends neither token nor key
   */
  require(
    this: void,
    access: Access,
    hint?: string,
  ): (request: FastifyRequest, reply: FastifyReply) => Promise<void>
}

const claimsOf = new WeakMap<FastifyRequest, GatewayClaims>()

/** The gateway and the wallet of a request that has passed `require`. */
export function claimsOfRequest(request: FastifyRequest): GatewayClaims {
  const claims = claimsOf.get(request)
  if (!claims) throw new Error('the route has no gateway authentication')
  return claims
}

export const gatewayOf = (request: FastifyRequest): string => claimsOfRequest(request).gateway

const NO_TOKEN = 'Sign in as a gateway first and send its token, or an API key, as a bearer token.'
const NO_KEY = {
  'never made': 'There was never such an API key: it is of another environment, or it was not copied whole.',
  revoked: 'The API key was revoked. Please make a new one.',
  expired: 'The API key has expired. Please make a new one.',
}
const refuse = (why: string) => new ApiError('UNAUTHORIZED', why)

export function buildGatewayAuth({ store, tokens }: { store: Store; tokens: GatewayTokens }): GatewayAuth {
  const readToken = async (token: string): Promise<GatewayClaims> => {
    const claims = await tokens.read(token)
    if (!claims) throw refuse('The token is not valid, or it has expired. Please sign in again.')
    const state = await readGatewayState(store, claims.gateway)
    if (!state || signerSince(state, claims.signer) !== claims.since)
      throw refuse('The token has ended: its gateway or its signer is not what it was. Please sign in again.')
    return claims
  }
  const readKey = async (text: string, access: Access, request: FastifyRequest): Promise<GatewayClaims> => {
    const hash = hashApiKey(text)
    const key = await findApiKey(store, hash)
    if (!key) throw refuse(NO_KEY[await whyNoApiKey(store, hash)])
    if (signerSince(key.gateway, key.createdBy) !== key.signerSince)
      throw refuse('The API key has ended: its gateway, or the wallet that made it, is not what it was.')
    if (access === 'wallet')
      throw new ApiError('SIGN_IN_REQUIRED', 'This needs the sign-in of a wallet; an API key cannot do it.')
    const scopes = scopesOf(access)
    if (!scopes.some(scope => key.scopes.includes(scope)))
      throw new ApiError('SCOPE_MISSING', `The API key lacks the scope ${scopes.join(' or ')}.`)
    if (key.isUseStale)
      await noteApiKeyUse(store, key.id).catch((err: unknown) =>
        request.log.warn({ err, apiKeyId: key.id.toString() }, 'api-key.use-not-noted'),
      )
    return { gateway: key.gateway.address, signer: key.createdBy, since: key.signerSince }
  }
  const authenticate = (request: FastifyRequest, access: Access): Promise<GatewayClaims> => {
    const given = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (isApiKey(given)) return readKey(given, access, request)
    if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(given)) return readToken(given)
    return Promise.reject(
      refuse(
        given === ''
          ? NO_TOKEN
          : 'What was sent is neither a token nor a whole API key, which is ptk_ and 43 characters.',
      ),
    )
  }
  return {
    authenticate,
    require: (access, hint) => async (request, reply) => {
      void reply.header('cache-control', 'no-store')
      try {
        if (hint !== undefined && !request.headers.authorization) throw refuse(`${NO_TOKEN} ${hint}`)
        claimsOf.set(request, await authenticate(request, access))
      } catch (error) {
        if (error instanceof ApiError && error.code === 'UNAUTHORIZED')
          void reply.header('www-authenticate', 'Bearer realm="gateway"')
        throw error
      }
    },
  }
}
