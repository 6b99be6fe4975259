// Questions and orders of the gateway that is signed in.
import type { ApiClient } from '@payment-tracking/client'
import { useRef } from 'react'
import { useMutation, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { apiOf, RequestError } from '../api/request.js'
import { useSession, type Session } from './session.js'

/** @throws Error outside of a page that needs a sign-in */
export function useGateway(): Session & { api: ApiClient } {
  const { session } = useSession()
  if (!session) throw new Error('this page needs a gateway that is signed in')
  return { ...session, api: apiOf() }
}

/** Runs a request of the gateway; where it is refused, the session may have ended. */
export function useChecked(): <T>(request: () => Promise<T>) => Promise<T> {
  const { check } = useSession()
  return async request => {
    try {
      return await request()
    } catch (error) {
      if (error instanceof RequestError && error.status === 401) check()
      throw error
    }
  }
}

/** A query of the gateway's own data. */
export function useGatewayQuery<T>(
  key: readonly unknown[],
  read: (gateway: ReturnType<typeof useGateway>) => Promise<T>,
  refetchInterval: number | false = false,
): UseQueryResult<T> {
  const gateway = useGateway()
  const checked = useChecked()
  return useQuery({
    queryKey: ['gateway', gateway.gateway, ...key],
    refetchInterval,
    queryFn: () => checked(() => read(gateway)),
  })
}

/** An order of the gateway. Its answer shows at once; meanwhile everything on the page is read again. */
export function useGatewayOrder<T, V = void>(
  give: (gateway: ReturnType<typeof useGateway>, value: V) => Promise<T>,
) {
  const gateway = useGateway()
  const checked = useChecked()
  const queries = useQueryClient()
  // As of the last drawing. `useMutation` learns what its function closes over only after the next paint, and a form can be sent before.
  const latest = useRef(give)
  latest.current = give
  return useMutation({
    mutationFn: (value: V) => checked(() => latest.current(gateway, value)),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['gateway', gateway.gateway] }),
  })
}
