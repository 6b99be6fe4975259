import { useMemo } from 'react'
import type { ChartData } from '../charts/chart-series.js'
import { nameHour } from '../charts/name-time.js'
import { TimeChart } from '../charts/time-chart.js'
import { withGaps } from '../charts/with-gaps.js'
import type { Overview } from './use-overview.js'

const HOUR_MINUTES = 60

/** Payments a minute, hour by hour; the hour that runs counts by the minutes that it has. */
export function RateChart({ overview: { hours, asOf, knownSince } }: { overview: Overview }) {
  // By its text: the answer is a new object at each refresh, and the drawing would begin anew.
  const key = JSON.stringify([
    hours.map(({ start, count }) => [start, String(count)]),
    asOf.slice(0, 16),
    knownSince,
  ])
  const data = useMemo((): ChartData => {
    const [points, minute, since] = JSON.parse(key) as [[string, string][], string, string | null]
    const now = Date.parse(`${minute}:00Z`)
    const values = points.map(([start, count]) => {
      const minutes = Math.min(HOUR_MINUTES, Math.max(1, (now - Date.parse(start)) / 60_000 + 1))
      return Number(count) / minutes
    })
    const counted: ChartData = {
      times: points.map(([start]) => Date.parse(start) / 1_000),
      nameOf: nameHour,
      isByDay: false,
      series: [
        {
          label: 'payments a minute',
          tone: '1',
          kind: 'bars',
          values,
          show: index =>
            `${(values[index] ?? 0).toLocaleString('en-US', { maximumFractionDigits: 2 })} (${Number(points[index]?.[1] ?? 0).toLocaleString('en-US')} in the hour)`,
        },
      ],
    }
    return withGaps(counted, since)
  }, [key])
  return (
    <TimeChart
      title="The last 24 hours"
      unit="payments a minute, by the hour"
      data={data}
      nothing="No payment in the last 24 hours"
    />
  )
}
