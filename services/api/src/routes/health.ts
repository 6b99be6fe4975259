import { Type } from 'typebox'
import { Envelope, inEnvelope } from '../schemas/envelope.js'
import { READ_REFUSALS } from '../schemas/error-answer.js'
import { Text } from '../schemas/fields.js'
import { VERSION } from '../version.js'
import type { AddRoutes } from './add-routes.js'

const HEALTH = { status: 'ok', service: 'payment-tracking-api', version: VERSION }

/** Whether the process lives; says nothing of its dependencies and is never limited. */
export const healthRoute: AddRoutes = app => {
  app.get(
    '/v1/health',
    {
      config: { rateLimit: false },
      schema: {
        operationId: 'getHealth',
        tags: ['health'],
        summary: 'Whether the service lives',
        querystring: Type.Object({}),
        response: {
          200: Envelope(
            'Health',
            Type.Object({
              status: Text('`ok` when healthy', 'ok'),
              service: Text('the name of the service', HEALTH.service),
              version: Text('its version', VERSION),
            }),
          ),
          400: READ_REFUSALS[400],
        },
      },
    },
    () => inEnvelope(HEALTH),
  )
}
