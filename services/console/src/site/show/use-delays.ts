// How late the service itself is, as it says of itself.
import { useQuery } from '@tanstack/react-query'
import { apiOf, ask } from '../api/request.js'
import { lateOf, type Late } from './late.js'

const REFRESH_MS = 5_000
/** @returns null while it is not known */
export function useLate(): Late | null {
  const { data } = useQuery({
    queryKey: ['health'],
    queryFn: async () => {
      const { data: health } = await ask(apiOf().GET('/v1/health'))
      return lateOf(health.delays, Date.now())
    },
    refetchInterval: REFRESH_MS,
  })
  return data ?? null
}
