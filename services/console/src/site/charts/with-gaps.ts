import type { ChartData } from './chart-series.js'

const NOT_KNOWN = 'not known'

/**
 * Makes gaps of the times before the service knows anything: no payment is known of them, which is not the same as none.
 * @param knownSince ISO 8601; null while nothing is known at all
 */
export function withGaps(data: ChartData, knownSince: string | null): ChartData {
  const since = knownSince === null ? Infinity : Date.parse(knownSince) / 1_000
  const isUnknown = (index: number) => (data.times[index + 1] ?? Infinity) <= since || since === Infinity
  return {
    ...data,
    series: data.series.map(({ values, show, ...rest }) => {
      const shown = values.map((value, index) => (isUnknown(index) && !value ? null : value))
      return { ...rest, values: shown, show: index => (shown[index] === null ? NOT_KNOWN : show(index)) }
    }),
  }
}
