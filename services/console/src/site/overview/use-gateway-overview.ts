// What only the gateway itself sees on the first page.
import type { Schemas } from '@payment-tracking/client'
import { useQuery } from '@tanstack/react-query'
import { apiOf, ask } from '../api/request.js'
import { useSession } from '../session/session.js'

const DAY_MS = 86_400_000
const REFRESH_MS = 15_000
/** How far the first page looks ahead and back. */
export const DUE_DAYS = 7
export const OVERDUE_DAYS = 90

export interface GatewayOverview {
  /** null where the sign-in may not see it: an API key can lack a scope */
  endpoints: readonly Schemas['Webhook'][] | null
  due: Schemas['Upcoming'] | null
  overdue: Schemas['Upcoming'] | null
}

const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()
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
      const upcoming = (from: number, to: number) =>
        ask(
          api.GET('/v1/gateway/{gateway}/merchant/upcoming', {
            params: {
              path: { gateway },
              query: { startTime: inDays(from), endTime: inDays(to), limit: 1 },
            },
          }),
        )
      const [endpoints, due, overdue] = await Promise.allSettled([
        ask(api.GET('/v1/webhooks', { params: { query: {} } })),
        upcoming(0, DUE_DAYS),
        upcoming(-OVERDUE_DAYS, 0),
      ])
      return { endpoints: valueOf(endpoints), due: valueOf(due), overdue: valueOf(overdue) }
    },
  })
  return data ?? null
}
