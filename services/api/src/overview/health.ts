import { waitAtMost } from '@payment-tracking/runtime'
import { readFirstEvent, type FirstEvent } from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import { Type } from 'typebox'
import { Envelope, inEnvelope } from '../http/envelope.js'
import { refusal } from '../http/error-answer-schema.js'
import { Integer, Moment, Nullable, Text } from '../http/fields.js'
import { SERVICE, VERSION } from '../version.js'
import type { AddRoutes } from '../route-parts.js'

const HEALTH = { status: 'ok', service: SERVICE, version: VERSION }

/** Clients learn within a second where lists begin: what was read is used so long, and no answer waits longer for more. */
const KEPT_MS = 500
const WAIT_MS = 250

/** @returns the first event as it was known last; null while it is not known */
function rememberFirstEvent(store: Store): () => Promise<FirstEvent | null> {
  let known: FirstEvent | null = null
  let beganAtMs = -Infinity
  let reading: Promise<void> | undefined
  const read = () => {
    beganAtMs = performance.now()
    return readFirstEvent(store)
      .then(first => void (known = first))
      .catch(() => {})
      .finally(() => (reading = undefined))
  }
  return async () => {
    const isOld = performance.now() - beganAtMs > KEPT_MS
    if (isOld) reading ??= read()
    // A database that hangs delays only who asks as the reading begins.
    const leftMs = beganAtMs + WAIT_MS - performance.now()
    if (reading && leftMs > 0) await waitAtMost(leftMs, () => reading!)
    return known
  }
}

/** Whether the process runs: does not depend on other servers, has no rate limit, and accepts any query. */
export const healthRoute: AddRoutes = (app, { store }) => {
  const firstEvent = rememberFirstEvent(store)
  app.get(
    '/v1/health',
    {
      config: { rateLimit: false, takesAnyQuery: true, reads: 'nothing' },
      schema: {
        operationId: 'getHealth',
        tags: ['health'],
        summary: 'Check the service',
        description:
          '200 as long as the process lives, whatever becomes of the servers behind it. Any query is accepted, and requests are not limited.',
        response: {
          200: Envelope(
            'Health',
            Type.Object({
              status: Text('`ok` when healthy', 'ok'),
              service: Text('the name of the service', HEALTH.service),
              version: Text('its version', VERSION),
              firstPosition: Nullable(
                Integer(
                  'where the stream of events begins; null without events, or while it is not known',
                  1,
                ),
              ),
              firstTimestamp: Nullable(Moment('the time of the oldest event in lists; null likewise')),
            }),
          ),
          400: refusal('The request cannot be read.'),
        },
      },
    },
    async () => {
      const first = await firstEvent()
      return inEnvelope({
        ...HEALTH,
        firstPosition: first?.position ?? null,
        firstTimestamp: first?.occurredAt?.toISOString() ?? null,
      })
    },
  )
}
