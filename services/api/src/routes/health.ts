import { Type } from 'typebox'
import { Envelope, inEnvelope } from '../schemas/envelope.js'
import { Text } from '../schemas/fields.js'
import { VERSION } from '../version.js'
import type { AddRoutes } from './add-routes.js'

const HEALTH = { status: 'ok', service: 'payment-tracking-api', version: VERSION }

/** Whether the process runs: does not check its dependencies, has no rate limit, and accepts any query. */
export const healthRoute: AddRoutes = app => {
  app.get(
    '/v1/health',
    {
      config: { rateLimit: false, takesAnyQuery: true },
      schema: {
        operationId: 'getHealth',
        tags: ['health'],
        summary: 'Whether the service lives',
        response: {
          200: Envelope(
            'Health',
            Type.Object({
              status: Text('`ok` when healthy', 'ok'),
              service: Text('the name of the service', HEALTH.service),
              version: Text('its version', VERSION),
            }),
          ),
        },
      },
    },
    () => inEnvelope(HEALTH),
  )
}
