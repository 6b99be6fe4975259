import { useQuery } from '@tanstack/react-query'
import { apiOf, ask } from '../api/request.js'
import { readName } from './read-name.js'

/** What the gateway called itself when it was created. */
export function useGatewayName(gateway: string): string | null {
  const { data } = useQuery({
    queryKey: ['gateway name', gateway],
    queryFn: async () => {
      const [created] = await ask(
        apiOf().GET('/v1/events', {
          params: { query: { eventName: 'PaymentGatewayCreated', gateway, limit: 1 } },
        }),
      )
      return created ? readName((created.data as { name?: unknown }).name) : null
    },
    staleTime: Infinity,
  })
  return data ?? null
}
