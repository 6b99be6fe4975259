// What a gateway chooses for all its webhooks.
import { WEBHOOK_FORMATS } from '@payment-tracking/domain'
import { readGatewaySettings, writeGatewaySettings } from '@payment-tracking/store/admin'
import { type Store } from '@payment-tracking/store/core'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { changedFields, noteChanges } from '../gateway-auth/note-changes.js'
import { gatewayOf, type GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { Nullable, PublicKey } from '../http/fields.js'
import { foreign, READS, tags, WRITES } from './webhook-routes.js'
import { WEBHOOK_REFUSALS } from './webhook-schemas.js'

const Settings = {
  webhookFormat: Nullable(
    Type.Enum([...WEBHOOK_FORMATS], {
      description: 'the format of webhooks that are registered without one; null: `standard`',
    }),
  ),
  webhookRecover: Nullable(
    Type.Boolean({
      description:
        'whether webhooks that are registered without a choice recover; null: not, so the fourth failed request is the last',
    }),
  ),
}
const params = Type.Object({ gateway: PublicKey('the gateway of the token') })
const response = { 200: Type.Object(Settings, { title: 'GatewaySettings' }), ...WEBHOOK_REFUSALS }
const PATH = '/v1/gateway/:gateway/settings'

export function addSettingsRoutes(
  app: ApiServer,
  { store, auth }: { store: Store; auth: GatewayAuth },
): void {
  const own = (request: FastifyRequest & { params: { gateway: string } }): string => {
    if (request.params.gateway !== gatewayOf(request)) throw foreign()
    return request.params.gateway
  }

  app.get(
    PATH,
    {
      preParsing: auth.require('webhooks:read'),
      schema: {
        operationId: 'getGatewaySettings',
        tags,
        security: READS,
        params,
        response,
        summary: "Get the gateway's settings",
        description: 'A setting is null until the gateway has chosen.',
      },
    },
    request => readGatewaySettings(store, own(request)),
  )

  app.put(
    PATH,
    {
      preParsing: auth.require('webhooks:write'),
      schema: {
        operationId: 'updateGatewaySettings',
        tags,
        security: WRITES,
        params,
        response,
        summary: "Update the gateway's settings",
        description:
          'A setting that is left out stays. Webhooks that are registered already stay as they are.',
        body: Type.Partial(Type.Object(Settings), { additionalProperties: false }),
      },
    },
    async request => {
      const gateway = own(request)
      const before = await readGatewaySettings(store, gateway)
      const after = await writeGatewaySettings(store, gateway, request.body)
      const fields = changedFields(before, after)
      if (fields.length > 0)
        await noteChanges(store, request, [{ kind: 'settings.changed', subject: null, name: null, fields }])
      return after
    },
  )
}
