// The newest payments, and each new one at the moment it is stored.
import { watchEvents, type Schemas } from '@payment-tracking/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { apiOf, ask, BASE_URL } from '../api/request.js'
import { pageLength } from '../show/page-length.js'

export type Payment = Schemas['EventRecord']
export type LiveState = 'open' | 'lost' | 'connecting'

export const MOST_NEWEST = pageLength(100)
/** Events that are payments: of regular policies or direct, and of composable policies. */
const NAMES = new Set(['PaymentRecord', 'ComposableExecuted'])

/**
 * @param isLive false holds the list as it is
 * @param gateway only its payments; null for those of all
 */
export function useLivePayments(isLive: boolean, gateway: string | null = null) {
  const queries = useQueryClient()
  const [state, setState] = useState<LiveState>('connecting')
  const query = useQuery({
    queryKey: ['payments', 'newest', gateway],
    queryFn: () =>
      ask(
        apiOf().GET('/v1/events/payments', {
          params: { query: { limit: MOST_NEWEST, ...(gateway === null ? {} : { gateway }) } },
        }),
      ),
    staleTime: Infinity,
  })
  useEffect(() => {
    if (!isLive) return
    const key = ['payments', 'newest', gateway]
    const watch = watchEvents(BASE_URL, {
      ...(gateway === null ? {} : { filters: { gateway } }),
      onEvent: event => {
        if (!NAMES.has(event.eventName)) return
        queries.setQueryData<Payment[]>(key, (known = []) =>
          known.some(({ id }) => id === event.id) ? known : [event, ...known].slice(0, MOST_NEWEST),
        )
      },
      onState: next => {
        setState(next)
        // What was stored while nobody listened.
        if (next === 'open') void queries.invalidateQueries({ queryKey: key })
      },
    })
    return () => watch.close()
  }, [isLive, gateway, queries])
  return { query, state }
}
