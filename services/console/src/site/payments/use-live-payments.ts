// The newest payments, and each new one at the moment it is stored.
import { watchEvents, type Schemas } from '@payment-tracking/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { apiOf, ask, BASE_URL } from '../api/request.js'

export type Payment = Schemas['EventRecord']

const MOST = 100
const KEY = ['payments', 'newest']
/** Events that are payments: of regular policies or direct, and of composable policies. */
const NAMES = new Set(['PaymentRecord', 'ComposableExecuted'])

/** @param isLive false holds the list as it is */
export function useLivePayments(isLive: boolean) {
  const queries = useQueryClient()
  const [state, setState] = useState<'open' | 'lost' | 'connecting'>('connecting')
  const query = useQuery({
    queryKey: KEY,
    queryFn: () => ask(apiOf().GET('/v1/events/payments', { params: { query: { limit: MOST } } })),
    staleTime: Infinity,
  })
  useEffect(() => {
    if (!isLive) return
    const watch = watchEvents(BASE_URL, {
      onEvent: event => {
        if (!NAMES.has(event.eventName)) return
        queries.setQueryData<Payment[]>(KEY, (known = []) =>
          known.some(({ id }) => id === event.id) ? known : [event, ...known].slice(0, MOST),
        )
      },
      onState: next => {
        setState(next)
        // What was stored while nobody listened.
        if (next === 'open') void queries.invalidateQueries({ queryKey: KEY })
      },
    })
    return () => watch.close()
  }, [isLive, queries])
  return { query, state }
}
