// What only the gateway itself sees on the first page.
import type { Schemas } from '@payment-tracking/client'
import { useQuery } from '@tanstack/react-query'
import { apiOf, ask } from '../api/request.js'
import { dueSpan, notPaidSpan, type Upcoming } from '../gateway/due.js'
import { useSession } from '../session/session.js'

const DAY_MS = 86_400_000
const REFRESH_MS = 15_000
/** How far the first page looks ahead. */
export const DUE_DAYS = 7
/** Lists from which the page counts. */
export const MOST_COUNTED = 100

export interface GatewayOverview {
  /** null where the sign-in may not see it: an API key can lack a scope */
  endpoints: readonly Schemas['Webhook'][] | null
  /** of the last 24 hours; `MOST_COUNTED` stands for more */
  failedDeliveries: number | null
  due: Upcoming | null
  notPaid: Upcoming | null
  /** policies created in the last 24 hours; `MOST_COUNTED` stands for more */
  created: number | null
}

const valueOf = <T>(result: PromiseSettledResult<T>): T | null =>
  result.status === 'fulfilled' ? result.value : null

export function useGatewayOverview(): GatewayOverview | null {
  const { session } = useSession()
  const { data } = useQuery({
    queryKey: ['gateway', session?.gateway, 'overview'],
    enabled: session !== null,
    refetchInterval: REFRESH_MS,
    queryFn: async (): Promise<GatewayOverview> => {
      const { gateway } = session!
      const api = apiOf()
      const since = new Date(Date.now() - DAY_MS).toISOString()
      const upcoming = (span: ReturnType<typeof dueSpan>) =>
        ask(
          api.GET('/v1/gateway/{gateway}/merchant/upcoming', {
            params: { path: { gateway }, query: { ...span, limit: 1 } },
          }),
        )
      const eventsOf = (eventName: string) =>
        ask(
          api.GET('/v1/events', {
            params: { query: { eventName, gateway, startTime: since, limit: MOST_COUNTED } },
          }),
        )
      const [endpoints, failed, due, notPaid, ...created] = await Promise.allSettled([
        ask(api.GET('/v1/webhooks', { params: { query: {} } })),
        ask(
          api.GET('/v1/gateway/{gateway}/deliveries', {
            params: { path: { gateway }, query: { status: 'failed', limit: MOST_COUNTED } },
          }),
        ),
        upcoming(dueSpan(0, DUE_DAYS)),
        upcoming(notPaidSpan()),
        eventsOf('PaymentPolicyCreated'),
        eventsOf('ComposablePolicyCreated'),
      ])
      return {
        endpoints: valueOf(endpoints),
        failedDeliveries:
          valueOf(failed)?.filter(({ createdAt }) => Date.parse(createdAt) > Date.now() - DAY_MS).length ??
          null,
        due: valueOf(due),
        notPaid: valueOf(notPaid),
        created: created.reduce<number | null>((sum, list) => {
          const events = valueOf(list)
          return sum === null || events === null ? null : Math.min(MOST_COUNTED, sum + events.length)
        }, 0),
      }
    },
  })
  return data ?? null
}
