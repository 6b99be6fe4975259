import { useMemo } from 'react'
import { ask } from '../api/request.js'
import { TimeChart } from '../charts/time-chart.js'
import { useGatewayQuery } from '../session/use-gateway.js'
import { Empty, Loaded, Loading } from '../show/states.js'
import { dueSpan, type Upcoming } from './due.js'
import { useTokensAreComing } from '../api/tokens.js'
import { useShownToken } from './shown-token.js'
import { amountsByDay } from './token-revenue.js'

const DAY_MS = 86_400_000
export const WEEKS = 8

/** The beginnings of the days from today, in UTC, as ISO 8601; the last one ends the chart. */
const daysAhead = (): string[] => {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  return Array.from({ length: WEEKS * 7 + 1 }, (_, day) => new Date(today + day * DAY_MS).toISOString())
}

/** What is due in the next weeks, week by week. */
export function DueChart() {
  const query = useGatewayQuery(['due', 'by day'], ({ api, gateway }) =>
    ask(
      api.GET('/v1/gateway/{gateway}/merchant/upcoming', {
        params: {
          path: { gateway },
          query: { ...dueSpan(0, WEEKS * 7), endTime: daysAhead().at(-1)!, limit: 1 },
        },
      }),
    ),
  )
  return (
    <section className="panel" aria-label={`Due in the next ${WEEKS} weeks`}>
      <Loaded query={query} lines={5}>
        {({ byToken, byDay, complete }) =>
          byToken.length === 0 ? (
            <Empty title={`Nothing is due in the next ${WEEKS} weeks`} />
          ) : (
            <>
              {byToken.map(({ tokenMint }) => (
                <DueOfToken
                  key={tokenMint ?? 'unknown'}
                  mint={tokenMint}
                  byDay={byDay}
                  isAtLeast={!complete}
                />
              ))}
            </>
          )
        }
      </Loaded>
    </section>
  )
}

function DueOfToken({
  mint,
  byDay,
  isAtLeast,
}: {
  mint: string | null
  byDay: Upcoming['byDay']
  isAtLeast: boolean
}) {
  const { symbol, decimals } = useShownToken(mint)
  const isComing = useTokensAreComing()
  const data = useMemo(() => {
    const days = daysAhead()
      .slice(0, -1)
      .map(day => day.slice(0, 10))
    const sums = new Map(
      byDay.filter(({ tokenMint }) => tokenMint === mint).map(each => [each.day, BigInt(each.totalAmount)]),
    )
    const weeks = days.filter((_, day) => day % 7 === 0)
    const amounts = weeks.map((_, week) =>
      days
        .slice(week * 7, week * 7 + 7)
        .reduce((sum, day) => sum + (sums.get(day) ?? 0n), 0n)
        .toString(),
    )
    const look = { tone: '1', kind: 'bars' } as const
    return amountsByDay(weeks, amounts, 'due in the week from this day', { symbol, decimals }, look)
  }, [byDay, mint, symbol, decimals])
  if (isComing) return <Loading lines={5} />
  return (
    <TimeChart
      title={`Due in the next ${WEEKS} weeks`}
      unit={`${isAtLeast ? 'at least, ' : ''}${symbol || 'tokens'} a week, UTC`}
      data={data}
      nothing="Nothing is due"
      words={['due']}
    />
  )
}
