import type { Schemas } from '@payment-tracking/client'
import { useMemo } from 'react'
import type { ChartData } from '../charts/chart-series.js'
import { dayStart, nameDay } from '../charts/name-time.js'
import { TimeChart } from '../charts/time-chart.js'
import { withGaps } from '../charts/with-gaps.js'
import { drawnAmount, formatAmount } from '../show/format-amount.js'
import type { ShownToken } from './shown-token.js'

type Points = Schemas['TokenRevenue']['series']
type Movement = keyof Points[number]['movements']

const GAINED: readonly Movement[] = ['new', 'expansion', 'reactivated']
const LOST: readonly Movement[] = ['contraction', 'churned']

/** What wallets brought is above the line, what they took below; each with its parts in words. */
export function MovementChart({
  points,
  per,
  unit,
  knownSince,
  token: { symbol, decimals },
}: {
  points: Points
  per: 'day' | 'week'
  unit: string
  knownSince: string | null
  token: ShownToken
}) {
  const data = useMemo((): ChartData => {
    const sumOf = (names: readonly Movement[], index: number) =>
      names.reduce((sum, name) => sum + BigInt(points[index]?.movements[name] ?? 0), 0n).toString()
    const show = (names: readonly Movement[]) => (index: number) => {
      const parts = names.flatMap(name => {
        const moved = points[index]?.movements[name] ?? '0'
        return moved === '0' ? [] : [`${name} ${formatAmount(moved, decimals)}`]
      })
      const sum = `${formatAmount(sumOf(names, index), decimals)} ${symbol}`
      return parts.length === 0 ? sum : `${sum} (${parts.join(', ')})`
    }
    const series = (label: string, tone: 'good' | 'bad', names: readonly Movement[]) => ({
      label,
      tone,
      kind: 'bars' as const,
      values: points.map((_, index) => drawnAmount(sumOf(names, index), decimals)),
      show: show(names),
    })
    const moved: ChartData = {
      times: points.map(({ ts }) => dayStart(ts)),
      nameOf: nameDay,
      isByDay: true,
      series: [series('gained', 'good', GAINED), series('lost', 'bad', LOST)],
    }
    return withGaps(moved, knownSince)
  }, [points, symbol, decimals, knownSince])
  return (
    <TimeChart
      title="Monthly recurring revenue (MRR) movements"
      unit={`${unit} of MRR, by ${per}`}
      data={data}
      nothing="No movements in this period"
      words={['new', 'expansion', 'reactivated', 'contraction', 'churned']}
    />
  )
}
