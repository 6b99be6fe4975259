// Sessions of browsers: whoever proves who they are gets a cookie, which the service can end.
import { BASE_URL_PATHS } from '@payment-tracking/contracts'
import {
  createGatewaySession,
  endGatewaySession,
  findSignInLink,
  openSignInLink,
  type FoundGatewaySession,
  type SessionGrant,
  type SignIn,
} from '@payment-tracking/store/admin'
import { type Store } from '@payment-tracking/store/core'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { Type, type Static } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { ApiError, SessionExistsError } from '../http/api-errors.js'
import { READ_REFUSALS, refusal, SessionExistsAnswer } from '../http/error-answer-schema.js'
import { Moment, Nullable, PublicKey, Text } from '../http/fields.js'
import { Scopes } from './api-key-routes.js'
import type { CheckWaiting, GatewayAuth } from './gateway-auth.js'
import { hashSessionSecret, makeSessionSecret, type SessionCookie } from './session-cookie.js'
import type { SignInOrigins } from './sign-in-origins.js'
import { PROOF_FIELDS, type SignInProofs } from './sign-in-proof.js'

const SignedNonce = Type.Object(
  { gateway: PublicKey('the gateway that signs in'), ...PROOF_FIELDS },
  { title: 'SignedNonce' },
)
const OpenedLink = Type.Object(
  {
    link: Text('what stands behind `#link=` in a link that signs in'),
    replace: Type.Optional(
      Type.Boolean({ description: 'the person agreed to end the session that is there' }),
    ),
  },
  { title: 'OpenedLink' },
)

const Session = Type.Object(
  {
    gateway: PublicKey('the gateway'),
    signer: PublicKey('the wallet that signed in, or that made the API key'),
    scopes: Nullable(Scopes),
    endsAt: Moment('when it ends, unless it is used before'),
    expiresAt: Moment('when it ends, however it is used'),
  },
  { title: 'Session' },
)
const SessionOrNone = Type.Object({ session: Nullable(Session) }, { title: 'SessionOrNone' })
const SignInLink = Type.Object(
  {
    path: Text('of the page that signs in, below the base URL', '/console/sign-in#link=k2Vb…'),
    expiresAt: Moment('from then on it does not count'),
  },
  { title: 'SignInLink' },
)

const toAnswer = (session: FoundGatewaySession): Static<typeof Session> => ({
  gateway: session.gateway.address,
  signer: session.signer,
  scopes: session.scopes,
  endsAt: session.endsAt.toISOString(),
  expiresAt: session.expiresAt.toISOString(),
})

const FOREIGN_SITE = refusal('The request comes from no page of this service.')
const COMMON = { tags: ['gateway sign-in'] }
const keepOutOfCaches: onRequestHookHandler = (_request, reply, done) => {
  void reply.header('cache-control', 'no-store')
  done()
}
const ANY = [{ gatewayToken: [] }, { apiKey: [] }, {}]

export interface SessionParts {
  store: Store
  auth: GatewayAuth
  proofs: SignInProofs
  origins: SignInOrigins
  cookie: SessionCookie
  /** sign-in requests a client may make in a minute */
  limit: number
  checkWaiting: CheckWaiting
}

export function addSessionRoutes(app: ApiServer, parts: SessionParts): void {
  const { store, auth, proofs, origins, cookie } = parts
  const config = { rateLimit: { max: parts.limit, groupId: 'sign-in' } }
  const needOwnPage = (request: FastifyRequest) => {
    if (!origins.isOwnPage(request))
      throw new ApiError('ORIGIN_REFUSED', 'Sessions begin and end on this service’s own pages alone.')
  }

  const grantOf = async (
    request: FastifyRequest,
    signed: Static<typeof SignedNonce> | null,
  ): Promise<{ how: SignIn; grant: SessionGrant }> => {
    if (!signed) {
      const { since, ...grant } = await auth.readBearer(request)
      return { how: grant.apiKeyId === null ? 'token' : 'api_key', grant: { ...grant, signerSince: since } }
    }
    const { gateway, signer, since } = await proofs.check(request, signed.gateway, signed)
    return { how: 'wallet', grant: { gateway, signer, signerSince: since, apiKeyId: null, expiresAt: null } }
  }
  /**
   * A link is anybody's: a stranger's would sign an employee into the stranger's gateway unnoticed.
   * @throws SessionExistsError where somebody is signed in who has not been asked
   */
  const needNobodySignedIn = async (replaces: string | null, link: string) => {
    if (replaces === null || !(await auth.findSession(replaces))) return
    const gateway = await findSignInLink(store, link)
    if (gateway !== null) throw new SessionExistsError(gateway)
  }

  app.post(
    '/v1/session',
    {
      config,
      onRequest: keepOutOfCaches,
      schema: {
        operationId: 'openSession',
        ...COMMON,
        summary: 'Sign in a browser',
        description:
          'By a signed nonce, a link, or the token or API key of the header. The cookie gives no more than what signed in, and ends with it. It lasts 48 hours from its last use, and 14 days at most. A link ends no session that is there without `replace`. For pages of this service alone.',
        security: ANY,
        body: Type.Union([OpenedLink, SignedNonce, Type.Null()]),
        response: {
          201: Session,
          401: refusal('What was sent does not count; the sentence says why.'),
          403: FOREIGN_SITE,
          409: {
            ...SessionExistsAnswer,
            description:
              'A link was sent and somebody is signed in. Nothing has changed: ask, and send `replace`.',
          },
          ...READ_REFUSALS,
        },
      },
    },
    async (request, reply) => {
      needOwnPage(request)
      const { body } = request
      const { secret, hash } = makeSessionSecret()
      const made = { hash, replaces: cookie.read(request) }
      if (body && 'link' in body) {
        const link = hashSessionSecret(body.link)
        if (!body.replace) await needNobodySignedIn(made.replaces, link)
        if (!(await openSignInLink(store, link, made)))
          throw new ApiError('UNAUTHORIZED', 'The link was used before, or its time is over. Take another.')
      } else await createGatewaySession(store, { ...made, ...(await grantOf(request, body)) })
      const session = await auth.findSession(hash)
      if (!session) throw new ApiError('UNAUTHORIZED', 'What signed in has ended meanwhile.')
      cookie.set(request, reply, secret, session.expiresAt)
      void reply.code(201)
      return toAnswer(session)
    },
  )

  app.get(
    '/v1/session',
    {
      config: { reads: 'nothing' },
      onRequest: keepOutOfCaches,
      schema: {
        operationId: 'getSession',
        ...COMMON,
        summary: 'Get the session',
        description:
          'Who is signed in, by the cookie. An API key or a token changes nothing. A session that has ended is none.',
        querystring: Type.Object({}),
        response: { 200: SessionOrNone, 403: FOREIGN_SITE, ...READ_REFUSALS },
      },
    },
    async request => {
      const session = await auth.readSession(request)
      return { session: session && toAnswer(session) }
    },
  )

  app.delete(
    '/v1/session',
    {
      onRequest: keepOutOfCaches,
      schema: {
        operationId: 'endSession',
        ...COMMON,
        summary: 'Sign out',
        description: 'From the answer on, the cookie is void wherever it is kept.',
        response: {
          204: Type.Null({ description: 'Nobody is signed in by this cookie.' }),
          403: FOREIGN_SITE,
          ...READ_REFUSALS,
        },
      },
    },
    async (request, reply) => {
      const hash = cookie.read(request)
      if (hash !== null) {
        needOwnPage(request)
        const gateway = await endGatewaySession(store, hash)
        if (gateway !== null) await parts.checkWaiting(gateway)
        cookie.clear(request, reply)
      }
      void reply.code(204)
      return null
    },
  )

  app.post(
    '/v1/session/links',
    {
      config,
      onRequest: keepOutOfCaches,
      schema: {
        operationId: 'createSignInLink',
        ...COMMON,
        summary: 'Create a sign-in link',
        description:
          'By a signed nonce, or the token or API key of the header. The link works once, within 15 minutes; its session gives no more than what made it.',
        security: ANY,
        body: Type.Union([SignedNonce, Type.Null()]),
        response: {
          201: SignInLink,
          401: refusal('What was sent does not count; the sentence says why.'),
          403: refusal('Gateways do not sign in at the site of this request.'),
          ...READ_REFUSALS,
        },
      },
    },
    async (request, reply) => {
      const { secret, hash } = makeSessionSecret()
      const { grant } = await grantOf(request, request.body)
      const expiresAt = await createGatewaySession(store, { hash, replaces: null, how: 'link', grant })
      void reply.code(201)
      return {
        path: `${BASE_URL_PATHS.console[0]}/sign-in#link=${secret}`,
        expiresAt: expiresAt.toISOString(),
      }
    },
  )
}
