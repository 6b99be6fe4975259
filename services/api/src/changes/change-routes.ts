// Who changed what of a gateway.
import { CHANGE_KINDS, CHANGES_KEPT } from '@payment-tracking/store/core'
import { listChanges, type ChangeRecord } from '@payment-tracking/store/admin'
import { Type, type Static } from 'typebox'
import type { ApiServer } from '../api-server.js'
import type { GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { Cursor, Integer, Limit, Moment, Nullable, PublicKey, Text } from '../http/fields.js'
import { offerNextPage, readIdCursor } from '../http/list-cursor.js'
import { own, params, REFUSALS, security } from '../merchant/merchant-route.js'

const ChangeAnswer = Type.Object(
  {
    id: Integer('assigned by the service', 12),
    at: Moment('when it was changed'),
    kind: Type.Enum([...CHANGE_KINDS], { description: 'what was done' }),
    subject: Nullable(
      Text(
        'id of the webhook, the API key, the session or the expectation; null for the settings and for all sessions',
        '7',
      ),
    ),
    name: Nullable(Text('host of the endpoint, name of the key, or tracking ID', 'shop.example')),
    fields: Type.Array(Type.String(), {
      description: 'names of what was changed, or scopes of a new key; never values',
      examples: [['eventTypes']],
    }),
    wallet: Nullable(
      PublicKey('who signed in; or who made the API key; null where the service itself did it'),
    ),
    apiKey: Nullable(
      Type.Object(
        { id: Integer('of the key', 3), name: Text('as it was called', 'order server') },
        { title: 'ChangingApiKey', description: 'the API key that did it' },
      ),
    ),
  },
  { title: 'Change' },
)

const toAnswer = ({ apiKeyId, apiKeyName, at, ...change }: ChangeRecord): Static<typeof ChangeAnswer> => ({
  ...change,
  at: at.toISOString(),
  apiKey: apiKeyId === null ? null : { id: apiKeyId, name: apiKeyName ?? '' },
})

export function addChangeRoutes(app: ApiServer, { auth }: { auth: GatewayAuth }): void {
  app.get(
    '/v1/gateway/:gateway/changes',
    {
      // After the rate limit, before all other checks of the request.
      preParsing: auth.require('merchant:read'),
      schema: {
        operationId: 'listChanges',
        tags: ['changes'],
        security,
        summary: 'List changes',
        description: `Who changed what, newest first. The last ${CHANGES_KEPT.toLocaleString('en-US')} changes of webhooks, API keys and settings, of sessions that were ended and of expectations that were cancelled. Follow the \`link\` header for more.`,
        params,
        querystring: Type.Object({ limit: Limit(), cursor: Cursor() }),
        response: { 200: Type.Array(ChangeAnswer), ...REFUSALS },
      },
    },
    async (request, reply) => {
      const { limit, cursor } = request.query
      const before = cursor === undefined ? undefined : readIdCursor(cursor)
      // One row more than a page shows whether there is a next page.
      const found = await listChanges(request.store, own(request), { before, limit: limit + 1 })
      const changes = found.slice(0, limit)
      if (found.length > limit) offerNextPage(request, reply, String(changes.at(-1)!.id))
      return changes.map(toAnswer)
    },
  )
}
