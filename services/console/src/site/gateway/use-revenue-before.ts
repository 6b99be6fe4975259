// The revenue of the span before the one that is shown, as long.
import type { Schemas } from '@payment-tracking/client'
import { useQuery } from '@tanstack/react-query'
import { ask } from '../api/request.js'
import { useGateway } from '../session/use-gateway.js'
import { spanBefore } from './span-before.js'

type Revenue = Schemas['Revenue']

export interface RevenueBefore {
  volumeOf: (mint: string | null) => { amount: string; payments: number }
  churn: string | null
}

export const churnOf = ({ churn: { rate, churned, activeAtStart } }: Revenue): string =>
  rate === null ? 'no subscriber at the start' : `${String(churned)} of ${String(activeAtStart)} subscribers`

/** Whether the service knows all of a span that begins then. @param knownSince ISO 8601 */
export const isKnownFrom = (start: number, knownSince: string | null): boolean =>
  knownSince !== null && Date.parse(knownSince) <= start

/** @returns undefined while it is read; null where the service does not know all of it */
export function useRevenueBefore(shown: Revenue | undefined): RevenueBefore | null | undefined {
  const { api, gateway } = useGateway()
  const { days, start, end } = shown ? spanBefore(shown) : { days: 0, start: 0, end: 0 }
  const isKnown = shown !== undefined && isKnownFrom(start, shown.knownSince)
  const { data, isError } = useQuery({
    // By the day: the span that is shown begins anew at each refresh.
    queryKey: ['gateway', gateway, 'revenue before', days],
    enabled: isKnown,
    queryFn: () =>
      ask(
        api.GET('/v1/gateway/{gateway}/merchant/revenue', {
          params: {
            path: { gateway },
            query: {
              startTime: new Date(start).toISOString(),
              endTime: new Date(end).toISOString(),
              bucket: 'month',
            },
          },
        }),
      ),
  })
  if (!data) return isError || (shown && !isKnown) ? null : undefined
  return {
    volumeOf: mint => {
      const token = data.byToken.find(({ tokenMint }) => tokenMint === mint)
      return {
        amount: String(token?.recognizedRevenue ?? 0),
        payments: Number(token?.paymentCount ?? 0),
      }
    },
    churn: churnOf(data),
  }
}
