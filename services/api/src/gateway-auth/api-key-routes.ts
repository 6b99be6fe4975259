// API keys: a wallet signs in and makes them for machines. A key cannot make, list or revoke keys.
import {
  API_KEY_SCOPES,
  API_KEYS_PER_GATEWAY,
  createApiKey,
  listApiKeys,
  readGatewayState,
  revokeApiKey,
  type ApiKeyRecord,
} from '@payment-tracking/store/admin'
import { type Store } from '@payment-tracking/store/core'
import { signerSince } from '@payment-tracking/domain'
import { Type, type Static } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { ApiError, NotFoundError } from '../http/api-errors.js'
import { readTime } from '../http/read-time.js'
import { READ_REFUSALS, refusal } from '../http/error-answer-schema.js'
import { Integer, Moment, Nullable, PublicKey, Text } from '../http/fields.js'
import { noteChanges } from './note-changes.js'
import { makeApiKey } from './api-key.js'
import {
  claimsOfRequest,
  gatewayOf,
  securityOf,
  type CheckWaiting,
  type GatewayAuth,
} from './gateway-auth.js'

export const Scopes = Type.Array(Type.Enum([...API_KEY_SCOPES]), {
  minItems: 1,
  uniqueItems: true,
  description: 'what the key may do',
})

const FIELDS = {
  id: Integer('assigned by the service', 3),
  name: Text('what its owner calls it', 'order server'),
  scopes: Scopes,
  hint: Text('the beginning of the key', 'ptk_4fZ0aQ'),
  createdBy: PublicKey(
    'the wallet that made it; the key ends for good when this wallet may no longer act for the gateway',
  ),
  createdAt: Moment('when it was made'),
  expiresAt: Nullable(Moment('from then on it is refused')),
  lastUsedAt: Nullable(Moment('its last use, to the minute')),
  ended: Type.Boolean({
    description: 'it is refused: it has expired, or its wallet has ceased to act for the gateway',
  }),
}
const ApiKeyAnswer = Type.Object(FIELDS, { title: 'ApiKey' })
const CreatedApiKeyAnswer = Type.Object(
  { ...FIELDS, key: Text('to be sent as `authorization: Bearer …`; shown only here') },
  { title: 'CreatedApiKey' },
)

const toAnswer = (key: ApiKeyRecord, ended: boolean): Static<typeof ApiKeyAnswer> => ({
  id: key.id,
  name: key.name,
  scopes: key.scopes,
  hint: key.hint,
  createdBy: key.createdBy,
  createdAt: key.createdAt.toISOString(),
  expiresAt: key.expiresAt?.toISOString() ?? null,
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  ended,
})

const REFUSALS = {
  401: refusal('There is no token, or none that counts.'),
  403: refusal('An API key was sent instead of a token of a wallet.'),
  ...READ_REFUSALS,
}

export function addApiKeyRoutes(
  app: ApiServer,
  {
    store,
    auth,
    nowMs,
    checkWaiting,
  }: { store: Store; auth: GatewayAuth; nowMs: () => number; checkWaiting: CheckWaiting },
): void {
  const preParsing = auth.require('wallet')
  const common = { tags: ['api keys'], security: securityOf('wallet') }

  app.post(
    '/v1/api-keys',
    {
      preParsing,
      schema: {
        operationId: 'createApiKey',
        ...common,
        summary: 'Create an API key',
        description: `At most ${API_KEYS_PER_GATEWAY} for a gateway.`,
        body: Type.Object(
          {
            name: Type.String({ minLength: 1, maxLength: 100, description: 'what its owner calls it' }),
            scopes: Scopes,
            expiresAt: Type.Optional(
              Type.String({
                description:
                  'ISO 8601; from then on it is refused. A date without a time means until the end of that day (UTC). Without it the key does not expire',
              }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 201: CreatedApiKeyAnswer, 409: refusal('The gateway has too many keys.'), ...REFUSALS },
      },
    },
    async (request, reply) => {
      const { name, scopes, expiresAt } = request.body
      const { gateway, signer, since } = claimsOfRequest(request)
      const until = expiresAt === undefined ? null : readEnd(expiresAt, nowMs())
      const { key, hash, hint } = makeApiKey()
      const record = await createApiKey(store, {
        gateway,
        name,
        scopes,
        hash,
        hint,
        createdBy: signer,
        signerSince: since,
        expiresAt: until,
      })
      await noteChanges(store, request, [
        { kind: 'api_key.created', subject: record.id.toString(), name, fields: scopes },
      ])
      request.log.info({ apiKeyId: record.id.toString(), gateway, scopes }, 'api-key.created')
      void reply.code(201)
      return { ...toAnswer(record, false), key }
    },
  )

  app.get(
    '/v1/api-keys',
    {
      preParsing,
      schema: {
        operationId: 'listApiKeys',
        ...common,
        summary: 'List API keys',
        description:
          'Those that are not revoked, oldest first. Each with its name, its scopes, when it was last used and whether it has ended. The key itself is shown once, when it is made.',
        querystring: Type.Object({}),
        response: { 200: Type.Array(ApiKeyAnswer), ...REFUSALS },
      },
    },
    async request => {
      const gateway = gatewayOf(request)
      const [keys, state] = await Promise.all([listApiKeys(store, gateway), readGatewayState(store, gateway)])
      return keys.map(key => {
        const isExpired = key.expiresAt !== null && key.expiresAt.getTime() <= nowMs()
        return toAnswer(key, isExpired || !state || signerSince(state, key.createdBy) !== key.signerSince)
      })
    },
  )

  app.delete(
    '/v1/api-keys/:id',
    {
      preParsing,
      schema: {
        operationId: 'revokeApiKey',
        ...common,
        summary: 'Revoke an API key',
        description:
          'From the answer on, every request with this key is refused, also one that waits for the feed.',
        params: Type.Object({ id: Type.Integer({ minimum: 1, description: 'id of the key' }) }),
        response: {
          204: Type.Null({ description: 'Done.' }),
          404: refusal('The gateway has no such key.'),
          ...REFUSALS,
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const revoked = await revokeApiKey(store, gatewayOf(request), BigInt(id))
      if (!revoked) throw new NotFoundError('There is no such API key.')
      await noteChanges(store, request, [
        { kind: 'api_key.revoked', subject: String(id), name: revoked.name, fields: [] },
      ])
      await checkWaiting(gatewayOf(request))
      request.log.info({ apiKeyId: String(id), gateway: gatewayOf(request) }, 'api-key.revoked')
      void reply.code(204)
      return null
    },
  )
}

function readEnd(text: string, nowMs: number): Date {
  const end = readTime('expiresAt', text, 'up')
  if (end.getTime() <= nowMs) throw new ApiError('INVALID_BODY', 'Field expiresAt must be in the future.')
  return end
}
