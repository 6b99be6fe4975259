// A chart for everybody: a drawing that can be pointed at, a slider for the keyboard and screen readers, a table behind.
import { Fragment, lazy, Suspense, useState, type KeyboardEvent } from 'react'
import { Boundary } from '../shell/boundary.js'
import { Table } from '../show/table.js'
import { Defined } from '../show/word.js'
import type { Word } from '../show/words.js'
import { isGap, isNothing, nameHighest, type ChartData } from './chart-series.js'

const Plot = lazy(() => import('./plot.js'))

export function TimeChart({
  title,
  unit,
  data,
  nothing,
  words = [],
}: {
  title: string
  /** what the axis counts, such as `USDC a day` */
  unit: string
  data: ChartData
  /** said over a chart of nothing */
  nothing: string
  /** whose meaning stands below */
  words?: readonly Word[]
}) {
  const { times, nameOf, series } = data
  const [pointed, setPointed] = useState<number | null>(null)
  const [left, setLeft] = useState(0)
  const [chosen, setChosen] = useState<number | null>(null)
  const [isOpen, setOpen] = useState(false)
  const last = times.length - 1
  const shown = pointed ?? chosen ?? last
  const name = nameOf(times[shown] ?? 0)
  const valueText = [name, ...series.map(({ label, show }) => `${label} ${show(shown)}`)].join(', ')
  const highest = nameHighest(data)
  const move = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowLeft: shown - 1,
      ArrowDown: shown - 1,
      ArrowRight: shown + 1,
      ArrowUp: shown + 1,
      PageDown: shown - 7,
      PageUp: shown + 7,
      Home: 0,
      End: last,
    }
    const next = steps[event.key]
    if (next === undefined) return
    event.preventDefault()
    setPointed(null)
    setChosen(Math.min(last, Math.max(0, next)))
  }
  return (
    <figure className="chart">
      <figcaption>
        <strong>{title}</strong> <span className="quiet small">{unit}</span>
      </figcaption>
      <div
        className="plot"
        role="slider"
        tabIndex={0}
        aria-label={`${title}, ${unit}`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={shown}
        aria-valuetext={valueText}
        onKeyDown={move}
      >
        <Boundary
          instead={<span className="nothing">The drawing could not be loaded; the numbers are below</span>}
        >
          <Suspense>
            <Plot
              data={data}
              chosen={chosen}
              onPoint={(index, at) => {
                setPointed(index)
                if (index !== null) setLeft(at)
              }}
            />
          </Suspense>
        </Boundary>
        {isNothing(data) && <span className="nothing">{nothing}</span>}
        {(pointed ?? chosen) !== null && (
          <div
            className="tip"
            style={{ left: `clamp(5rem, ${Math.round(left)}px, 100% - 5rem)` }}
            aria-hidden="true"
          >
            <strong>{name}</strong>
            {series.map(({ label, show }) => (
              <span key={label}>
                {label} {show(shown)}
              </span>
            ))}
          </div>
        )}
      </div>
      <p className="bounds quiet small">
        {nameOf(times[0] ?? 0)} to {nameOf(times[last] ?? 0)}
        {highest !== null && `. Highest: ${highest}`}
      </p>
      <div className="legend" aria-hidden="true">
        <span className="quiet">{name}</span>
        {series.map(({ label, tone, show }) => (
          <span key={label}>
            <span className={`swatch tone-${tone}`} />
            <span className="word">
              {label} {show(shown)}
            </span>
          </span>
        ))}
        {times.some((_, index) => isGap(data, index)) && (
          <span className="quiet">
            <span className="swatch hatched" />
            {data.gap ?? 'not known'}
          </span>
        )}
      </div>
      {words.length > 0 && (
        <p className="quiet small">
          What it counts:{' '}
          {words.map((word, index) => (
            <Fragment key={word}>
              {index > 0 && ', '}
              <Defined word={word} />
            </Fragment>
          ))}
        </p>
      )}
      <details onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>Show data</summary>
        {isOpen && (
          <Table
            title={`${title}: data`}
            rows={times.map((_, index) => index)}
            keyOf={index => index}
            columns={[
              { head: 'time', phone: 'lead', cell: index => nameOf(times[index]!) },
              ...series.map(({ label, show }) => ({
                head: label,
                kind: 'number' as const,
                cell: show,
              })),
            ]}
          />
        )}
      </details>
    </figure>
  )
}
