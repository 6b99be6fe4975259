// The deliveries of all webhooks of a gateway.
import type { RetryRules } from '@payment-tracking/domain'
import { listGatewayDeliveries } from '@payment-tracking/store/admin'
import { Type } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { gatewayOf, type GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { Cursor, Limit, Offset, PublicKey } from '../http/fields.js'
import { offerNextPage, readIdCursor } from '../http/list-cursor.js'
import { foreign, READS } from './webhook-routes.js'
import { DeliveryAnswer, Status, toDeliveryAnswer, WEBHOOK_REFUSALS } from './webhook-schemas.js'

export function addGatewayDeliveryRoutes(
  app: ApiServer,
  { auth, retries }: { auth: GatewayAuth; retries: RetryRules },
): void {
  app.get(
    '/v1/gateway/:gateway/deliveries',
    {
      // After the rate limit, before all other checks of the request.
      preParsing: auth.require('webhooks:read'),
      schema: {
        operationId: 'listGatewayDeliveries',
        tags: ['webhook deliveries'],
        security: READS,
        summary: 'List all deliveries',
        description:
          "Of all the gateway's webhooks, newest first. With `status=failed`: what no endpoint took. Follow the `link` header for more. Deliveries of deleted webhooks are not listed.",
        params: Type.Object({ gateway: PublicKey('the gateway of the token') }),
        querystring: Type.Object({
          status: Type.Optional(Status),
          limit: Limit(),
          offset: Offset(),
          cursor: Cursor(),
        }),
        response: { 200: Type.Array(DeliveryAnswer), ...WEBHOOK_REFUSALS },
      },
    },
    async (request, reply) => {
      if (request.params.gateway !== gatewayOf(request)) throw foreign()
      const { status, limit, offset, cursor } = request.query
      const before = cursor === undefined ? undefined : readIdCursor(cursor)
      // One row more than a page shows whether there is a next page.
      const page = { status, before, limit: limit + 1, offset }
      const found = await listGatewayDeliveries(request.store, request.params.gateway, page)
      const deliveries = found.slice(0, limit)
      if (found.length > limit) offerNextPage(request, reply, String(deliveries.at(-1)!.id))
      return deliveries.map(delivery => toDeliveryAnswer(delivery, retries))
    },
  )
}
