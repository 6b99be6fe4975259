import { useQuery } from '@tanstack/react-query'
import { apiOf, ask } from '../api/request.js'
import { payments } from '../gateway/due.js'
import { Amount } from '../show/amount.js'
import { Bar } from '../show/states.js'

const REFRESH_MS = 30_000
/** Anybody can pay in a token of his own: those with most payments. */
const MOST_TOKENS = 3

/** @param gateway null for all of them */
export const usePaymentSums = (gateway: string | null, enabled = true) =>
  useQuery({
    queryKey: ['payments', 'sums', gateway],
    enabled,
    queryFn: () =>
      ask(
        apiOf().GET('/v1/events/payments/stats', {
          params: { query: gateway === null ? {} : { gateway } },
        }),
      ),
    refetchInterval: REFRESH_MS,
  })

/** What all payments of the gateway come to, before anybody filters. */
export function AllSums({ gateway }: { gateway: string }) {
  const { data } = usePaymentSums(gateway)
  if (data === undefined)
    return (
      <p>
        <Bar />
      </p>
    )
  const sums = [...(data?.byToken ?? [])].sort((a, b) => Number(b.count) - Number(a.count))
  return sums.slice(0, MOST_TOKENS).map(({ tokenMint, count, totalAmount }) => (
    <p key={tokenMint ?? 'unknown'}>
      <Amount raw={totalAmount} mint={tokenMint} />{' '}
      <span className="quiet">in {payments(Number(count))}, all time</span>
    </p>
  ))
}
