// How an endpoint answered over time.
import { percentileOf } from '@payment-tracking/domain'
import { getWebhook } from '@payment-tracking/store/admin'
import { readWebhookHours, type AnsweredRequests } from '@payment-tracking/store/deliveries'
import { Type, type Static } from 'typebox'
import type { ApiServer } from '../api-server.js'
import { gatewayOf, type GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { Integer, Moment, Nullable } from '../http/fields.js'
import { noWebhook, READS } from './webhook-routes.js'
import { WEBHOOK_REFUSALS, WebhookPath } from './webhook-schemas.js'

const HOUR_MS = 3_600_000
/** A day of hours or a month of days, up to the one that runs, and as much before it to compare with. */
const SPANS = {
  hour: { lengthMs: HOUR_MS, count: 48 },
  day: { lengthMs: 24 * HOUR_MS, count: 60 },
} as const
type By = keyof typeof SPANS

const Answers = Type.Object(
  {
    start: Moment('where the hour or the day of UTC begins'),
    requests: Integer('that ended in it: tries, not deliveries', 120),
    accepted: Integer('of these, answered with 2xx', 119),
    p50Ms: Nullable(Integer('half of the accepted ones took at most so long; to within a tenth', 85)),
    p95Ms: Nullable(Integer('19 of 20 took at most so long', 240)),
  },
  { title: 'EndpointAnswers' },
)

/** One record for each span, also for those without a request. */
function recordsOf(rows: readonly AnsweredRequests[], since: number, by: By): Static<typeof Answers>[] {
  const sum = (some: readonly AnsweredRequests[]) => some.reduce((all, { requests }) => all + requests, 0n)
  return Array.from({ length: SPANS[by].count }, (_, nth) => {
    const start = new Date(since + nth * SPANS[by].lengthMs)
    const own = rows.filter(row => row.start.getTime() === start.getTime())
    const accepted = own.filter(row => row.accepted)
    return {
      start: start.toISOString(),
      requests: sum(own),
      accepted: sum(accepted),
      p50Ms: percentileOf(accepted, 0.5),
      p95Ms: percentileOf(accepted, 0.95),
    }
  })
}

export function addAnswerRoutes(
  app: ApiServer,
  { auth, nowMs }: { auth: GatewayAuth; nowMs: () => number },
): void {
  app.get(
    '/v1/webhooks/:id/answers',
    {
      // After the rate limit, before all other checks of the request.
      preParsing: auth.require('webhooks:read'),
      schema: {
        operationId: 'listEndpointAnswers',
        tags: ['webhook deliveries'],
        security: READS,
        summary: 'List answers of an endpoint',
        description:
          'How it answered over time. By the hour for the last 48, or by the day for the last 60, oldest first.',
        params: WebhookPath,
        querystring: Type.Object({
          by: Type.Optional(Type.Enum(['hour', 'day'], { description: '`hour` when it is left out' })),
        }),
        response: { 200: Type.Array(Answers), ...WEBHOOK_REFUSALS },
      },
    },
    async request => {
      const webhook = await getWebhook(request.store, gatewayOf(request), BigInt(request.params.id))
      if (!webhook) throw noWebhook()
      const by = request.query.by ?? 'hour'
      const { lengthMs, count } = SPANS[by]
      const since = Math.floor(nowMs() / lengthMs) * lengthMs - (count - 1) * lengthMs
      return recordsOf(
        await readWebhookHours(request.store, webhook.id, { by, since: new Date(since) }),
        since,
        by,
      )
    },
  )
}
