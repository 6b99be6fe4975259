import { useMemo } from 'react'
import type { ChartData } from '../charts/chart-series.js'
import { nameHour } from '../charts/name-time.js'
import { TimeChart } from '../charts/time-chart.js'
import { withGaps } from '../charts/with-gaps.js'
import type { Overview } from './use-overview.js'

/** Payments of each hour; the last one is still running. */
export function RateChart({ overview: { hours, knownSince } }: { overview: Overview }) {
  // By its text: the answer is a new object at each refresh, and the drawing would begin anew.
  const key = JSON.stringify([hours.map(({ start, count }) => [start, String(count)]), knownSince])
  const data = useMemo((): ChartData => {
    const [points, since] = JSON.parse(key) as [[string, string][], string | null]
    const counted: ChartData = {
      times: points.map(([start]) => Date.parse(start) / 1_000),
      nameOf: nameHour,
      isByDay: false,
      isWhole: true,
      series: [
        {
          label: 'payments',
          tone: '1',
          kind: 'bars',
          values: points.map(([, count]) => Number(count)),
          show: index =>
            `${Number(points[index]?.[1] ?? 0).toLocaleString('en-US')}${index === points.length - 1 ? ' so far' : ''}`,
        },
      ],
    }
    return withGaps(counted, since)
  }, [key])
  return (
    <TimeChart
      title="The last 24 hours"
      unit="payments an hour"
      data={data}
      nothing="No payment in the last 24 hours"
    />
  )
}
