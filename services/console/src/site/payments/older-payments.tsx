import { nextCursor } from '@payment-tracking/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { apiOf, ask } from '../api/request.js'
import { shownWords } from '../show/pager.js'
import { Failure } from '../show/states.js'
import { usePaymentSums } from './all-sums.js'
import { PaymentTable } from './payment-table.js'
import { MOST_NEWEST, type Payment } from './use-live-payments.js'

async function readPage(gateway: string | null, cursor: string | null) {
  const request = apiOf().GET('/v1/events/payments', {
    params: {
      query: {
        limit: MOST_NEWEST,
        ...(gateway === null ? {} : { gateway }),
        ...(cursor === null ? {} : { cursor }),
      },
    },
  })
  const payments = await ask(request)
  return { payments, next: nextCursor((await request).response) }
}

/** The payments before the newest ones, a page at a time, when somebody asks for them. */
export function OlderPayments({
  newest,
  gateway,
}: {
  newest: readonly Payment[]
  /** null for those of all */
  gateway: string | null
}) {
  const [isAsked, setAsked] = useState(false)
  const query = useInfiniteQuery({
    queryKey: ['payments', 'older', gateway],
    enabled: isAsked,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) => readPage(gateway, pageParam),
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: Infinity,
  })
  const known = new Set(newest.map(({ id }) => id))
  const older = (query.data?.pages ?? [])
    .flatMap(({ payments }) => payments)
    .filter(({ id }) => !known.has(id))
  const hasMore = !query.data || query.hasNextPage
  const { hasNextPage, isFetching, error, fetchNextPage } = query
  // The first page can hold just what the list of the newest shows: one press then reads on, until it shows something.
  const readsOn = isAsked && older.length === 0 && hasNextPage && !isFetching && error === null
  useEffect(() => {
    if (readsOn) void fetchNextPage()
  }, [readsOn, fetchNextPage])
  const isLong = newest.length >= MOST_NEWEST
  const { data: sums } = usePaymentSums(gateway, isLong)
  if (!isLong) return null
  return (
    <>
      <p className="quiet">
        {shownWords(0, newest.length + older.length, hasMore, Number(sums?.count ?? 0))}
      </p>
      {older.length > 0 && <PaymentTable title="Older payments" payments={older} />}
      <Failure error={query.error} />
      {hasMore && (
        <button
          type="button"
          className="outline"
          aria-busy={query.isFetching}
          disabled={query.isFetching}
          onClick={() => {
            setAsked(true)
            if (query.data) void query.fetchNextPage()
          }}
        >
          Older payments
        </button>
      )}
    </>
  )
}
