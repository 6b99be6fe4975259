// The drawing, by uPlot, on a canvas. It is loaded after the page, and knows nothing of keyboards and tables.
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import { useIsDark } from '../shell/theme.js'
import { axisNumber, type ChartData } from './chart-series.js'
import { hatchGaps } from './hatch-gaps.js'

/** What the style says a tone is. A canvas knows no custom properties. */
function colourOf(within: HTMLElement, tone: string): string {
  const probe = document.createElement('span')
  probe.className = `tone-${tone}`
  within.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

const BARS = UPlot.paths.bars!({ size: [0.7, 48], radius: 0.15 })
const LINE = UPlot.paths.linear!()
const BETWEEN_X = 72
const BETWEEN_Y = 34
const AXIS_Y = 52
/** Steps of an axis that has no halves: 1, 2, 5, 10, 20 … */
const WHOLE = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map(step => step * 10 ** power)).flat()

/** The range from zero, so that a bar's length is its value; a chart of zeros has an axis too. */
function rangeOf(_plot: UPlot, least: number | null, most: number | null): [number, number] {
  const [low, high] = [Math.min(0, least ?? 0), Math.max(0, most ?? 0)]
  if (low === 0 && high === 0) return [0, 1]
  const room = (high - low) * 0.06
  return [low === 0 ? 0 : low - room, high === 0 ? 0 : high + room]
}

export default function Plot({
  data,
  chosen,
  onPoint,
}: {
  data: ChartData
  /** the index that a person chose by keyboard; null shows no mark */
  chosen: number | null
  /** @param left where the point is, in pixels of the drawing */
  onPoint: (index: number | null, left: number) => void
}) {
  const container = useRef<HTMLDivElement>(null)
  const plot = useRef<UPlot | null>(null)
  const point = useRef(onPoint)
  point.current = onPoint
  const isDark = useIsDark()
  useEffect(() => {
    const element = container.current!
    const [axis, grid] = ['axis', 'grid'].map(tone => colourOf(element, tone))
    const { fontFamily } = getComputedStyle(element)
    const look = { stroke: axis!, font: `12px ${fontFamily}`, ticks: { show: false } }
    const lines = { stroke: grid!, width: 1 }
    const step = (data.times[1] ?? 0) - (data.times[0] ?? 0)
    // What stands on another series reaches down to zero, and the other covers its lower part.
    const drawn = [...data.series.filter(each => each.top), ...data.series.filter(each => !each.top)]
    const made = new UPlot(
      {
        width: element.clientWidth,
        height: element.clientHeight,
        legend: { show: false },
        padding: [8, 24, 0, 0],
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
        // Half a step at both ends, so that no bar is cut.
        scales: {
          x: { range: (_plot, from, to) => [from - step / 2, to + step / 2] },
          y: { range: rangeOf },
        },
        axes: [
          {
            ...look,
            grid: { show: false },
            size: 34,
            gap: 10,
            splits: ({ width }) => shownTimes(data.times, width),
            values: (_plot, splits) => splits.map(data.isByDay ? shortDay : shortHour),
          },
          {
            ...look,
            grid: lines,
            space: BETWEEN_Y,
            ...(data.isWhole ? { incrs: WHOLE } : {}),
            size: AXIS_Y,
            values: (_plot, splits) => splits.map(axisNumber),
          },
        ],
        series: [
          {},
          ...drawn.map(({ label, tone, kind, values }) => {
            const colour = colourOf(element, tone)
            return {
              label,
              stroke: colour,
              ...(kind === 'bars'
                ? { paths: BARS, fill: colour, width: 0, points: { show: false } }
                : { paths: LINE, width: 2, points: { show: isSparse(values) } }),
            }
          }),
        ],
        hooks: {
          drawClear: [chart => hatchGaps(chart, data, grid!)],
          setCursor: [
            chart => {
              const index = chart.cursor.idx ?? null
              const left =
                index === null ? 0 : chart.valToPos(data.times[index]!, 'x') + chart.over.offsetLeft
              point.current(index, left)
            },
          ],
        },
      },
      [[...data.times], ...drawn.map(({ values, top }) => [...(top ?? values)])] as UPlot.AlignedData,
      element,
    )
    plot.current = made
    const resizing = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: element.clientHeight }),
    )
    resizing.observe(element)
    return () => {
      resizing.disconnect()
      made.destroy()
      plot.current = null
    }
    // The colours are read anew when light turns dark.
  }, [data, isDark])
  useEffect(() => {
    if (chosen === null || !plot.current) return
    plot.current.setCursor({ left: plot.current.valToPos(data.times[chosen]!, 'x'), top: 0 }, false)
  }, [chosen, data])
  return <div className="plot" ref={container} />
}

/** A line of one or two points is no line: the points themselves are drawn. */
const isSparse = (values: readonly (number | null)[]): boolean =>
  values.filter(value => value !== null).length < 3

/** The times that have place for their name: every one, every second … */
function shownTimes(times: readonly number[], width: number): number[] {
  const every = Math.max(1, Math.ceil((times.length * BETWEEN_X) / (width - AXIS_Y)))
  return times.filter((_, index) => index % every === 0)
}

const shortDay = (seconds: number): string =>
  new Date(seconds * 1_000).toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })

const shortHour = (seconds: number): string =>
  new Date(seconds * 1_000).toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
