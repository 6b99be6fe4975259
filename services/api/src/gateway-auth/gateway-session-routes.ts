// The sessions of a gateway: a wallet sees who is signed in, and ends one of them or all. A key can do neither.
import { signerSince } from '@payment-tracking/domain'
import {
  endGatewaySessions,
  listGatewaySessions,
  readGatewayState,
  SIGN_INS,
  type GatewaySessionRecord,
} from '@payment-tracking/store/admin'
import { type ChangeKind, type Store } from '@payment-tracking/store/core'
import type { FastifyRequest } from 'fastify'
import { Type, type Static } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { NotFoundError } from '../http/api-errors.js'
import { READ_REFUSALS, refusal } from '../http/error-answer-schema.js'
import { Integer, Moment, Nullable, PublicKey, Text } from '../http/fields.js'
import { gatewayOf, securityOf, type CheckWaiting, type GatewayAuth } from './gateway-auth.js'
import { noteChanges } from './note-changes.js'
import type { SessionCookie } from './session-cookie.js'

const SessionRecord = Type.Object(
  {
    id: Integer('assigned by the service', 41),
    how: Type.Enum([...SIGN_INS], {
      description: 'what signed in: the signature of a wallet, its token, an API key, or a sign-in link',
    }),
    opened: Type.Boolean({ description: 'false for a sign-in link that nobody has opened yet' }),
    signer: PublicKey('the wallet that signed in, or that made the API key'),
    apiKey: Nullable(
      Type.Object(
        { id: Integer('of the key', 3), name: Text('what its owner calls it', 'order server') },
        { title: 'SessionApiKey', description: 'the API key that signed in' },
      ),
    ),
    createdAt: Moment('when it began, or when the link was made'),
    lastUsedAt: Nullable(Moment('its last use, to the minute')),
    endsAt: Moment('when it ends, unless it is used before'),
    expiresAt: Moment('when it ends, however it is used'),
    current: Type.Boolean({ description: 'the request itself came by this session' }),
  },
  { title: 'GatewaySession' },
)

const toAnswer = (session: GatewaySessionRecord): Static<typeof SessionRecord> => ({
  id: session.id,
  how: session.how,
  opened: !session.isLink,
  signer: session.signer,
  apiKey: session.apiKeyId === null ? null : { id: session.apiKeyId, name: session.apiKeyName ?? '' },
  createdAt: session.createdAt.toISOString(),
  lastUsedAt: session.usedAt?.toISOString() ?? null,
  endsAt: session.endsAt.toISOString(),
  expiresAt: session.expiresAt.toISOString(),
  current: session.isCurrent,
})

const REFUSALS = {
  401: refusal('There is no token or session, or none that counts.'),
  403: refusal('An API key, or the session of one, was sent instead of the sign-in of a wallet.'),
  ...READ_REFUSALS,
}

export function addGatewaySessionRoutes(
  app: ApiServer,
  {
    store,
    auth,
    cookie,
    checkWaiting,
  }: { store: Store; auth: GatewayAuth; cookie: SessionCookie; checkWaiting: CheckWaiting },
): void {
  const preParsing = auth.require('wallet')
  const common = { tags: ['gateway sign-in'], security: securityOf('wallet') }
  /** The session that a request came by: a header wins over a cookie. */
  const ownHash = (request: FastifyRequest) =>
    request.headers.authorization === undefined ? cookie.read(request) : null
  const end = async (request: FastifyRequest, id: bigint | null) => {
    const kind: ChangeKind = id === null ? 'sessions.ended' : 'session.ended'
    const ended = await endGatewaySessions(store, gatewayOf(request), id)
    await checkWaiting(gatewayOf(request))
    if (ended > 0)
      await noteChanges(store, request, [{ kind, subject: id?.toString() ?? null, name: null, fields: [] }])
    return ended
  }

  app.get(
    '/v1/sessions',
    {
      preParsing,
      schema: {
        operationId: 'listSessions',
        ...common,
        summary: 'List sessions',
        description:
          'Who is signed in as the gateway: when, how and when last, newest first. Links that nobody has opened yet are among them. Tokens that were sent as a header alone are not: they end after 15 minutes.',
        querystring: Type.Object({}),
        response: { 200: Type.Array(SessionRecord), ...REFUSALS },
      },
    },
    async request => {
      const gateway = gatewayOf(request)
      const [sessions, state] = await Promise.all([
        listGatewaySessions(store, gateway, ownHash(request)),
        readGatewayState(store, gateway),
      ])
      const counts = (each: GatewaySessionRecord) =>
        state !== null && signerSince(state, each.signer) === each.signerSince
      return sessions.filter(counts).map(toAnswer)
    },
  )

  app.delete(
    '/v1/sessions/:id',
    {
      preParsing,
      schema: {
        operationId: 'endGatewaySession',
        ...common,
        summary: 'Delete a session',
        description: 'From the answer on, its cookie is void wherever it is kept; a link does not sign in.',
        params: Type.Object({ id: Type.Integer({ minimum: 1, description: 'id of the session' }) }),
        response: {
          204: Type.Null({ description: 'Done.' }),
          404: refusal('The gateway has no such session.'),
          ...REFUSALS,
        },
      },
    },
    async (request, reply) => {
      if ((await end(request, BigInt(request.params.id))) === 0)
        throw new NotFoundError('There is no such session.')
      void reply.code(204)
      return null
    },
  )

  app.delete(
    '/v1/sessions',
    {
      preParsing,
      schema: {
        operationId: 'endGatewaySessions',
        ...common,
        summary: 'Delete all sessions',
        description:
          'Also the one that the request came by, those of API keys, and links that nobody has opened yet. Keys and tokens stay valid.',
        response: { 204: Type.Null({ description: 'Nobody is signed in by a cookie.' }), ...REFUSALS },
      },
    },
    async (request, reply) => {
      await end(request, null)
      if (ownHash(request) !== null) cookie.clear(request, reply)
      void reply.code(204)
      return null
    },
  )
}
