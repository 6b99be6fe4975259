// What only the gateway itself sees on the first page.
import type { Schemas } from '@payment-tracking/client'
import { useQuery } from '@tanstack/react-query'
import { apiOf, ask, RequestError } from '../api/request.js'
import { atRiskOf, dueSpan, notPaidSpan, type Upcoming } from '../gateway/due.js'
import { useSession } from '../session/session.js'
import { RISK_DAYS, type Counted } from './judge.js'

const DAY_MS = 86_400_000
const REFRESH_MS = 15_000
/** How far the first page looks ahead. */
export const DUE_DAYS = 7
/** Lists from which the page counts. */
export const MOST_COUNTED = 100

/** What was not read, and why: an API key can lack a scope. */
export class Unread {
  constructor(readonly why: 'not for this key' | 'not available now') {}
}

export interface GatewayOverview {
  endpoints: readonly Schemas['Webhook'][] | Unread
  due: Upcoming | Unread
  notPaid: Upcoming | Unread
  /** due within `RISK_DAYS` */
  atRisk: Counted | Unread
  /** expected payments */
  underpaid: Counted | Unread
  /** policies created in the last 24 hours; `MOST_COUNTED` stands for more */
  created: number | Unread
}

export const isRead = <T>(value: T | Unread): value is T => !(value instanceof Unread)

const valueOf = <T>(result: PromiseSettledResult<T>): T | Unread => {
  if (result.status === 'fulfilled') return result.value
  const { reason } = result as { reason: unknown }
  const isRefused = reason instanceof RequestError && reason.status === 403
  return new Unread(isRefused ? 'not for this key' : 'not available now')
}

const countOf = <T>(list: readonly T[] | Unread): number | Unread => (isRead(list) ? list.length : list)

/** @returns null where nobody is signed in; undefined while it is being read */
export function useGatewayOverview(): GatewayOverview | null | undefined {
  const { session } = useSession()
  const { data } = useQuery({
    queryKey: ['gateway', session?.gateway, 'overview'],
    enabled: session !== null,
    refetchInterval: REFRESH_MS,
    queryFn: async (): Promise<GatewayOverview> => {
      const { gateway } = session!
      const api = apiOf()
      const since = new Date(Date.now() - DAY_MS).toISOString()
      const upcoming = (query: ReturnType<typeof dueSpan> & { atRisk?: boolean }) =>
        ask(
          api.GET('/v1/gateway/{gateway}/merchant/upcoming', {
            params: { path: { gateway }, query: { ...query, limit: 1 } },
          }),
        )
      const eventsOf = (eventName: string) =>
        ask(
          api.GET('/v1/events', {
            params: { query: { eventName, gateway, startTime: since, limit: MOST_COUNTED } },
          }),
        )
      const [endpoints, due, notPaid, atRisk, underpaid, ...created] = await Promise.allSettled([
        ask(api.GET('/v1/webhooks', { params: { query: {} } })),
        upcoming(dueSpan(0, DUE_DAYS)),
        upcoming(notPaidSpan()),
        upcoming({ ...dueSpan(0, RISK_DAYS), atRisk: true }).then(atRiskOf),
        ask(
          api.GET('/v1/gateway/{gateway}/expectations', {
            params: { path: { gateway }, query: { state: 'underpaid', limit: MOST_COUNTED } },
          }),
        ).then(({ length }) => ({ count: length, isAtLeast: length === MOST_COUNTED })),
        eventsOf('PaymentPolicyCreated'),
        eventsOf('ComposablePolicyCreated'),
      ])
      const counts = created.map(list => countOf(valueOf(list)))
      const sum = counts.filter(isRead).reduce((all, each) => all + each, 0)
      return {
        endpoints: valueOf(endpoints),
        due: valueOf(due),
        notPaid: valueOf(notPaid),
        atRisk: valueOf(atRisk),
        underpaid: valueOf(underpaid),
        created: counts.find(each => !isRead(each)) ?? Math.min(MOST_COUNTED, sum),
      }
    },
  })
  return session && data
}
