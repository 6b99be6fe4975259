// Lists of the gateway that are read a page at a time, when somebody asks for more.
import { nextCursor } from '@payment-tracking/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { ask, RequestError } from '../api/request.js'
import { useGateway } from '../session/use-gateway.js'
import { useSession } from '../session/session.js'

type Gateway = ReturnType<typeof useGateway>

export function useGatewayPages<T>(
  key: readonly unknown[],
  read: (
    gateway: Gateway,
    cursor: string | null,
  ) => Promise<{ data?: T; error?: unknown; response: Response }>,
) {
  const gateway = useGateway()
  const { end } = useSession()
  return useInfiniteQuery({
    queryKey: ['gateway', gateway.gateway, ...key],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam }) => {
      const request = read(gateway, pageParam)
      try {
        const data = await ask(request)
        return { data, next: nextCursor((await request).response) }
      } catch (error) {
        if (error instanceof RequestError && error.status === 401)
          end('The service does not take this sign-in any more.')
        throw error
      }
    },
    getNextPageParam: ({ next }) => next ?? undefined,
  })
}
