/** One quantity of a chart. */
export interface ChartSeries {
  label: string
  /** one for each time; null where nothing is known, which the chart shows as a gap */
  values: readonly (number | null)[]
  /** where its bars end, where they stand on those of another series: the other is drawn before them */
  top?: readonly (number | null)[]
  /** the exact value in words, for people who point at it, and for the table */
  show: (index: number) => string
  tone: '1' | '2' | 'good' | 'bad'
  kind: 'bars' | 'line'
}

export interface ChartData {
  /** ascending, Unix seconds */
  times: readonly number[]
  /** how a time is called, such as `22 Nov` */
  nameOf: (seconds: number) => string
  /** whether the axis counts in days of UTC; otherwise in hours of the reader's place */
  isByDay: boolean
  /** whether the axis counts what has no halves, such as people */
  isWhole?: boolean
  /** what is said of a time without a value; `not known` without it */
  gap?: string
  series: readonly ChartSeries[]
}

/** A short number for an axis, such as `1.2K`; without a sign, because a chart of coming and going has two sides. */
export const axisNumber = (value: number): string =>
  Math.abs(value).toLocaleString('en-US', { notation: 'compact', maximumFractionDigits: 2 })

/** Whether nothing is known at a time. */
export const isGap = ({ series }: ChartData, index: number): boolean =>
  series.every(({ values }) => values[index] === null)

export const isNothing = ({ series }: ChartData): boolean =>
  series.every(({ values }) => values.every(value => value === null || value === 0))

/** The value farthest from zero in words, such as `payments 12 (22 Nov, 10:00)`; null in a chart of nothing. */
export function nameHighest({ times, nameOf, series }: ChartData): string | null {
  let [most, name]: [number, string | null] = [0, null]
  for (const { label, values, show } of series)
    for (const [index, value] of values.entries()) {
      if (Math.abs(value ?? 0) <= most) continue
      most = Math.abs(value!)
      name = `${label} ${show(index)} (${nameOf(times[index]!)})`
    }
  return name
}
