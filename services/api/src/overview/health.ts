import { waitAtMost } from '@payment-tracking/runtime'
import { readFirstEvent } from '@payment-tracking/store/reads'
import { readDelays } from '@payment-tracking/store/core'
import { Type } from 'typebox'
import { Envelope, inEnvelope } from '../http/envelope.js'
import { refusal } from '../http/error-answer-schema.js'
import { Integer, Moment, Nullable, Text } from '../http/fields.js'
import { SERVICE, VERSION } from '../version.js'
import type { AddRoutes } from '../route-parts.js'

const HEALTH = { status: 'ok', service: SERVICE, version: VERSION }

/** Clients learn within a second where lists begin, and no answer waits longer for more. */
const FIRST_EVENT_KEPT_MS = 500
/** A process reports every 3 s: a delay is at most 5 s old. */
const DELAYS_KEPT_MS = 1_500
const WAIT_MS = 250

/** @returns what was read last, read anew once it is `keptMs` old; null while it is not known, and after `forgottenMs` without an answer */
function remember<T>(
  read: () => Promise<T>,
  { keptMs, forgottenMs = Infinity }: { keptMs: number; forgottenMs?: number },
): () => Promise<T | null> {
  let known: T | null = null
  let knownAtMs = -Infinity
  let beganAtMs = -Infinity
  let reading: Promise<void> | undefined
  const begin = () => {
    const at = (beganAtMs = performance.now())
    return read()
      .then(value => {
        known = value
        knownAtMs = at
      })
      .catch(() => {})
      .finally(() => (reading = undefined))
  }
  return async () => {
    const isOld = performance.now() - beganAtMs > keptMs
    if (isOld) reading ??= begin()
    // A database that hangs delays only who asks as the reading begins.
    const leftMs = beganAtMs + WAIT_MS - performance.now()
    if (reading && leftMs > 0) await waitAtMost(leftMs, () => reading!)
    return performance.now() - knownAtMs > forgottenMs ? null : known
  }
}

const Delay = (what: string) => Nullable(Type.Number({ description: what, examples: [0] }))

/** Whether the process runs: does not depend on other servers, has no rate limit, and accepts any query. */
export const healthRoute: AddRoutes = (app, { store }) => {
  const firstEvent = remember(() => readFirstEvent(store), { keptMs: FIRST_EVENT_KEPT_MS })
  const delays = remember(() => readDelays(store), {
    keptMs: DELAYS_KEPT_MS,
    forgottenMs: 2 * DELAYS_KEPT_MS,
  })
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
              delays: Type.Object(
                {
                  payments: Delay(
                    'for how many seconds the oldest message of the chain that is not stored has waited; 0 when none waits, null while it is not known',
                  ),
                  deliveries: Delay(
                    'for how many seconds the oldest due delivery that is not begun has waited; likewise',
                  ),
                },
                {
                  title: 'ServiceDelays',
                  description:
                    'How late the service is, at most 5 s old. While nothing stores messages, or sends deliveries, at least as long as that.',
                },
              ),
            }),
          ),
          400: refusal('The request cannot be read.'),
        },
      },
    },
    async () => {
      const [first, late] = await Promise.all([firstEvent(), delays()])
      return inEnvelope({
        ...HEALTH,
        firstPosition: first?.position ?? null,
        firstTimestamp: first?.occurredAt?.toISOString() ?? null,
        delays: { payments: inSeconds(late?.payments), deliveries: inSeconds(late?.deliveries) },
      })
    },
  )
}

const inSeconds = (seconds: number | null | undefined): number | null =>
  seconds == null ? null : Math.round(seconds * 10) / 10
