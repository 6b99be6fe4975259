// Questions and orders of the gateway that is signed in.
import type { ApiClient } from '@payment-tracking/client'
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { apiOf, RequestError } from '../api/request.js'
import { useSession, type Session } from './session.js'

const ENDED = 'The service does not take this sign-in any more.'

/** @throws Error outside of a page that needs a sign-in */
export function useGateway(): Session & { api: ApiClient } {
  const { session } = useSession()
  if (!session) throw new Error('this page needs a gateway that is signed in')
  return { ...session, api: apiOf(session.token) }
}

/** A query of the gateway's own data; a refused token ends the session. */
export function useGatewayQuery<T>(
  key: readonly unknown[],
  read: (gateway: ReturnType<typeof useGateway>) => Promise<T>,
  refetchInterval: number | false = false,
): UseQueryResult<T> {
  const gateway = useGateway()
  const { end } = useSession()
  return useQuery({
    queryKey: ['gateway', gateway.gateway, ...key],
    refetchInterval,
    queryFn: async () => {
      try {
        return await read(gateway)
      } catch (error) {
        if (error instanceof RequestError && error.status === 401) end(ENDED)
        throw error
      }
    },
  })
}

/** An order of the gateway; afterwards everything on the page is read again. */
export function useGatewayOrder<T, V = void>(
  give: (gateway: ReturnType<typeof useGateway>, value: V) => Promise<T>,
) {
  const gateway = useGateway()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (value: V) => give(gateway, value),
    onSettled: () => queries.invalidateQueries({ queryKey: ['gateway', gateway.gateway] }),
  })
}
