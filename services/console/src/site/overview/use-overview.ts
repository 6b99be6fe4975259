import type { Schemas } from '@payment-tracking/client'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { apiOf, ask } from '../api/request.js'

export type Overview = Schemas['Overview']

const REFRESH_MS = 5_000

/** @param gateway null for the payments of all gateways */
export const useOverview = (gateway: string | null): UseQueryResult<Overview> =>
  useQuery({
    queryKey: ['overview', gateway],
    queryFn: () =>
      ask(apiOf().GET('/v1/overview', { params: { query: gateway === null ? {} : { gateway } } })),
    refetchInterval: REFRESH_MS,
  })
