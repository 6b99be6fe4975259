// Lists of the gateway that are read a page at a time, when somebody asks for more.
import { nextCursor } from '@payment-tracking/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { ask } from '../api/request.js'
import { useChecked, useGateway } from '../session/use-gateway.js'

type Gateway = ReturnType<typeof useGateway>

export function useGatewayPages<T>(
  key: readonly unknown[],
  read: (
    gateway: Gateway,
    cursor: string | null,
  ) => Promise<{ data?: T; error?: unknown; response: Response }>,
) {
  const gateway = useGateway()
  const checked = useChecked()
  return useInfiniteQuery({
    queryKey: ['gateway', gateway.gateway, ...key],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      checked(async () => {
        const request = read(gateway, pageParam)
        const data = await ask(request)
        return { data, next: nextCursor((await request).response) }
      }),
    getNextPageParam: ({ next }) => next ?? undefined,
  })
}
