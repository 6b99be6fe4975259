import type { Schemas } from '@payment-tracking/client'
import { useMemo } from 'react'
import type { ChartData } from '../charts/chart-series.js'
import { dayStart, nameDay } from '../charts/name-time.js'
import { TimeChart } from '../charts/time-chart.js'
import { withGaps } from '../charts/with-gaps.js'

type Points = Schemas['Revenue']['subscribers']

/** Who joined is above the line, who left below. */
export function SubscriberChart({
  points,
  per,
  knownSince,
}: {
  points: Points
  per: 'day' | 'week'
  knownSince: string | null
}) {
  const data = useMemo((): ChartData => {
    const figure = (pick: (point: Points[number]) => number | bigint) => (index: number) =>
      String(points[index] ? pick(points[index]) : 0)
    const counted: ChartData = {
      times: points.map(({ ts }) => dayStart(ts)),
      nameOf: nameDay,
      isByDay: true,
      isWhole: true,
      series: [
        {
          label: 'joined',
          tone: 'good',
          kind: 'bars',
          values: points.map(({ came }) => Number(came)),
          show: figure(({ came }) => came),
        },
        {
          label: 'left',
          tone: 'bad',
          kind: 'bars',
          values: points.map(({ left }) => -Number(left)),
          show: figure(({ left }) => left),
        },
      ],
    }
    return withGaps(counted, knownSince)
  }, [points, knownSince])
  const active = points.at(-1)?.active ?? 0
  return (
    <TimeChart
      title={`Subscribers who joined and left: ${String(active)} now`}
      words={['subscribers', 'joined', 'left']}
      unit={`wallets a ${per}, UTC`}
      data={data}
      nothing="Nobody joined or left in this span"
    />
  )
}
