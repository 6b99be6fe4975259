// How long the system needed, per kind of fault: until what was hit was ready, and until a payment published
// after the fault was over had come out at a socket.
import type { Injected } from '../faults/inject.js'

export interface Recovery {
  name: string
  count: number
  /** milliseconds */
  readyP50: number | null
  readyMax: number | null
  flowP50: number | null
  flowMax: number | null
}

export interface Arrival {
  publishedAtMs: number
  knownAtMs: number
}

const median = (values: readonly number[]): number | null =>
  values.length === 0 ? null : [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)]!
const largest = (values: readonly number[]): number | null =>
  values.length === 0 ? null : Math.max(...values)

export interface Measured {
  name: string
  readyMs: number | null
  flowMs: number | null
}

export function measure(injected: readonly Injected[], arrivals: readonly Arrival[]): Measured[] {
  return injected.map(({ name, liftedMs, readyAfterMs }) => {
    let flowMs: number | null = null
    for (const { publishedAtMs, knownAtMs } of arrivals) {
      if (publishedAtMs < liftedMs) continue
      const afterMs = knownAtMs - liftedMs
      if (flowMs === null || afterMs < flowMs) flowMs = afterMs
    }
    return { name, readyMs: readyAfterMs, flowMs }
  })
}

export function summarise(measured: readonly Measured[]): Recovery[] {
  const names = [...new Set(measured.map(({ name }) => name))].sort()
  return names.map(name => {
    const of = measured.filter(each => each.name === name)
    const ready = of.map(({ readyMs }) => readyMs).filter(ms => ms !== null)
    const flow = of.map(({ flowMs }) => flowMs).filter(ms => ms !== null)
    return {
      name,
      count: of.length,
      readyP50: median(ready),
      readyMax: largest(ready),
      flowP50: median(flow),
      flowMax: largest(flow),
    }
  })
}

const inSeconds = (ms: number | null): string => (ms === null ? '–' : `${(ms / 1000).toFixed(2)} s`)

/** A Markdown table. */
export function renderRecovery(rows: readonly Recovery[]): string {
  const lines = rows.map(
    row =>
      `| ${row.name} | ${row.count} | ${inSeconds(row.readyP50)} | ${inSeconds(row.readyMax)} | ${inSeconds(row.flowP50)} | ${inSeconds(row.flowMax)} |`,
  )
  return [
    '| fault | count | ready again p50 | max | payment on a socket p50 | max |',
    '| --- | --: | --: | --: | --: | --: |',
    ...lines,
  ].join('\n')
}
