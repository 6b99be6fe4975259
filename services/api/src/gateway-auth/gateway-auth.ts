import { signerSince } from '@payment-tracking/domain'
import {
  findApiKey,
  findGatewaySession,
  noteApiKeyUse,
  noteGatewaySessionUse,
  readGatewayState,
  whyNoApiKey,
  type ApiKeyScope,
  type FoundGatewaySession,
} from '@payment-tracking/store/admin'
import { type Store } from '@payment-tracking/store/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../http/api-errors.js'
import { hashApiKey, isApiKey } from './api-key.js'
import type { GatewayClaims, GatewayTokens } from './gateway-tokens.js'
import type { SessionCookie } from './session-cookie.js'
import type { SignInOrigins } from './sign-in-origins.js'

/** What a request must bring: a wallet's token, or also an API key with a scope, or with one of several. */
export type Access = ApiKeyScope | 'wallet' | readonly ApiKeyScope[]

/** Any of them will do. */
const scopesOf = (access: Exclude<Access, 'wallet'>): readonly ApiKeyScope[] =>
  typeof access === 'string' ? [access] : access

/** How the API's description states what a request must bring: a scope is the role that an API key needs. */
export const securityOf = (access: Access): { [scheme: string]: string[] }[] => [
  { gatewayToken: [] },
  { session: [] },
  ...(access === 'wallet' ? [] : scopesOf(access).map(scope => ({ apiKey: [scope] }))),
]

/** Who a request speaks for, and what it may do. */
export interface Grant extends GatewayClaims {
  /** of an API key; null for a wallet, which may do everything */
  scopes: readonly ApiKeyScope[] | null
  apiKeyId: bigint | null
  apiKeyName: string | null
  /** when it ends by itself; null: never */
  expiresAt: Date | null
}

/** The API key that a request speaks by. */
export interface GrantingKey {
  id: bigint
  name: string
  scopes: readonly ApiKeyScope[]
}

export interface GatewayAuth {
  /**
   * Finds the gateway of a request by its token or API key, or by its session. Each is void once its gateway is deleted, or
   * once the wallet that obtained it no longer signs for the gateway, also when that wallet comes back. So this reads the
   * gateway from the database each time. With a header `authorization`, a cookie does not count.
   * @throws ApiError UNAUTHORIZED without a valid token, key or session; SCOPE_MISSING or SIGN_IN_REQUIRED when the key has
   *   no right to this request; ORIGIN_REFUSED when a cookie comes with a request of another site
   */
  authenticate(request: FastifyRequest, access: Access): Promise<GatewayClaims>
  /**
   * The same for a route that is open: null for nobody. A cookie comes along by itself, so one without a right is nobody's.
   */
  authenticateIfGiven(request: FastifyRequest, access: Access): Promise<GatewayClaims | null>
  /** Whose token or API key a request carries. @throws ApiError UNAUTHORIZED */
  readBearer(request: FastifyRequest): Promise<Grant>
  /** The session of this hash; null when it has ended. */
  findSession(hash: string): Promise<FoundGatewaySession | null>
  /**
   * The session of a request's cookie, which is used by this and lasts longer; null without one.
   * @throws ApiError ORIGIN_REFUSED in a request of another site
   */
  readSession(request: FastifyRequest): Promise<FoundGatewaySession | null>
  /**
   * The same as a hook that runs before all other checks of the request.
   * @param hint sent to a client that sends neither token nor key
   */
  require(
    this: void,
    access: Access,
    hint?: string,
  ): (request: FastifyRequest, reply: FastifyReply) => Promise<void>
}

/**
 * Once what a request comes by has ended: requests of the gateway that wait are asked again for their right, and refused. In
 * other processes too; where their signal is lost, a second later at most.
 */
export type CheckWaiting = (gateway: string) => Promise<void>

const claimsOf = new WeakMap<FastifyRequest, GatewayClaims>()

/** The gateway and the wallet of a request that has passed `require`. */
export function claimsOfRequest(request: FastifyRequest): GatewayClaims {
  const claims = claimsOf.get(request)
  if (!claims) throw new Error('the route has no gateway authentication')
  return claims
}

const apiKeys = new WeakMap<FastifyRequest, GrantingKey>()

/** The API key of a request that has passed `authenticate`; undefined for a wallet that signed in. */
export const apiKeyOf = (request: FastifyRequest) => apiKeys.get(request)

export const gatewayOf = (request: FastifyRequest): string => claimsOfRequest(request).gateway

const NO_TOKEN = 'Sign in as a gateway first and send its token, or an API key, as a bearer token.'
const NO_KEY = {
  'never made': 'There was never such an API key: it is of another environment, or it was not copied whole.',
  revoked: 'The API key was revoked. Please make a new one.',
  expired: 'The API key has expired. Please make a new one.',
}
const refuse = (why: string) => new ApiError('UNAUTHORIZED', why)

export interface GatewayAuthParts {
  store: Store
  tokens: GatewayTokens
  origins: SignInOrigins
  cookie: SessionCookie
}

export function buildGatewayAuth({ store, tokens, origins, cookie }: GatewayAuthParts): GatewayAuth {
  const readToken = async (token: string): Promise<Grant> => {
    const claims = await tokens.read(token)
    if (!claims) throw refuse('The token is not valid, or it has expired. Please sign in again.')
    const state = await readGatewayState(store, claims.gateway)
    if (!state || signerSince(state, claims.signer) !== claims.since)
      throw refuse('The token has ended: its gateway or its signer is not what it was. Please sign in again.')
    return { ...claims, scopes: null, apiKeyId: null, apiKeyName: null }
  }
  const noteUse = async (request: FastifyRequest, apiKeyId: bigint | null, session?: string) => {
    try {
      if (session !== undefined) await noteGatewaySessionUse(store, session)
      if (apiKeyId !== null) await noteApiKeyUse(store, apiKeyId)
    } catch (err) {
      request.log.warn({ err, apiKeyId: apiKeyId?.toString() }, 'sign-in.use-not-noted')
    }
  }
  const readKey = async (text: string, request: FastifyRequest): Promise<Grant> => {
    const hash = hashApiKey(text)
    const key = await findApiKey(store, hash)
    if (!key) throw refuse(NO_KEY[await whyNoApiKey(store, hash)])
    const { id, name, gateway, createdBy: signer, signerSince: since, scopes, expiresAt } = key
    if (signerSince(gateway, signer) !== since)
      throw refuse('The API key has ended: its gateway, or the wallet that made it, is not what it was.')
    if (key.isUseStale) await noteUse(request, id)
    return { gateway: gateway.address, signer, since, scopes, apiKeyId: id, apiKeyName: name, expiresAt }
  }
  const readBearer: GatewayAuth['readBearer'] = async request => {
    const given = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (isApiKey(given)) return readKey(given, request)
    if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(given)) return readToken(given)
    throw refuse(
      given === ''
        ? NO_TOKEN
        : 'What was sent is neither a token nor a whole API key, which is ptk_ and 43 characters.',
    )
  }
  const findSession: GatewayAuth['findSession'] = async hash => {
    const session = await findGatewaySession(store, hash)
    return session && signerSince(session.gateway, session.signer) === session.signerSince ? session : null
  }
  const readSession: GatewayAuth['readSession'] = async request => {
    const hash = cookie.read(request)
    if (hash === null) return null
    if (!origins.isOwnPage(request))
      throw new ApiError('ORIGIN_REFUSED', 'A session counts in requests of this service’s own pages alone.')
    const session = await findSession(hash)
    if (session?.isUseStale) await noteUse(request, session.apiKeyId, hash)
    return session
  }
  const readGrant = async (request: FastifyRequest): Promise<Grant> => {
    if (request.headers.authorization !== undefined || cookie.read(request) === null)
      return readBearer(request)
    const session = await readSession(request)
    if (!session) throw refuse('The session has ended. Please sign in again.')
    const { gateway, signer, signerSince: since, ...rest } = session
    return { ...rest, gateway: gateway.address, signer, since }
  }
  const authenticate: GatewayAuth['authenticate'] = async (request, access) => {
    const { scopes: held, apiKeyId: id, apiKeyName: name, gateway, signer, since } = await readGrant(request)
    if (held && access === 'wallet')
      throw new ApiError('SIGN_IN_REQUIRED', 'This needs the sign-in of a wallet; an API key cannot do it.')
    const scopes = access === 'wallet' ? [] : scopesOf(access)
    if (held && !scopes.some(scope => held.includes(scope)))
      throw new ApiError('SCOPE_MISSING', `The API key lacks the scope ${scopes.join(' or ')}.`)
    if (held && id !== null) apiKeys.set(request, { id, name: name ?? '', scopes: held })
    return { gateway, signer, since }
  }
  return {
    authenticate,
    authenticateIfGiven: async (request, access) => {
      if (request.headers.authorization !== undefined) return authenticate(request, access)
      if (cookie.read(request) === null) return null
      return authenticate(request, access).catch((error: unknown) => {
        if (error instanceof ApiError) return null
        throw error
      })
    },
    readBearer,
    findSession,
    readSession,
    require: (access, hint) => async (request, reply) => {
      void reply.header('cache-control', 'no-store')
      try {
        if (hint !== undefined && !request.headers.authorization && cookie.read(request) === null)
          throw refuse(`${NO_TOKEN} ${hint}`)
        claimsOf.set(request, await authenticate(request, access))
      } catch (error) {
        if (error instanceof ApiError && error.code === 'UNAUTHORIZED')
          void reply.header('www-authenticate', 'Bearer realm="gateway"')
        throw error
      }
    },
  }
}
