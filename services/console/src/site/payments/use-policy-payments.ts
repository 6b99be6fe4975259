import { useInfiniteQuery } from '@tanstack/react-query'
import { findOfPolicies } from './find-payments.js'
import type { Payment } from './use-live-payments.js'

/** Each policy is a request of its own, and a merchant can have thousands of policies: people ask for the next ones. */
const AT_ONCE = 20

export interface PolicyPayments {
  payments: readonly Payment[]
  /** how many policies were read */
  read: number
  /** how many the next step reads; 0 when all were read */
  next: number
  readNext: () => void
  isReading: boolean
  error: Error | null
}

/** The payments of these policies, some policies at a time. */
export function usePolicyPayments(
  key: string,
  policies: readonly string[],
  gateway: string | null,
): PolicyPayments {
  const query = useInfiniteQuery({
    queryKey: ['payments', 'of policies', key, gateway, policies.join()],
    enabled: policies.length > 0,
    initialPageParam: 0,
    queryFn: ({ pageParam }) => findOfPolicies(policies.slice(pageParam, pageParam + AT_ONCE), gateway),
    getNextPageParam: (_last, pages) => {
      const read = pages.length * AT_ONCE
      return read < policies.length ? read : undefined
    },
  })
  const read = Math.min((query.data?.pages.length ?? 0) * AT_ONCE, policies.length)
  return {
    payments: query.data?.pages.flat() ?? [],
    read,
    next: read === 0 ? 0 : Math.min(AT_ONCE, policies.length - read),
    readNext: () => void query.fetchNextPage(),
    isReading: query.isFetching,
    error: query.error,
  }
}
