// The words of the bench: a subject is measured beside a limit, in turns, in one run, and the ratio is what counts.
import type { ServerUrls } from '@payment-tracking/stack'

export interface Measure {
  median: number
  min: number
  max: number
}

export interface Row {
  /** what was measured, such as "ingest, 100 thousand stored" */
  subject: string
  unit: string
  /** true when a larger figure is better (a rate), false for times and sizes */
  largerIsBetter: boolean
  measured: Measure
  /** what it is measured against, in the same run; absent for figures that stand alone */
  limit?: { name: string; measured: Measure }
  note?: string
}

export interface BenchContext {
  /** the name of the bench; with `teardown`, what the testkit asks of a test */
  readonly name: string
  /** a small run that shows that the bench still works */
  quick: boolean
  servers: ServerUrls
  /** a line of progress */
  say: (line: string) => void
  /** runs at the end of this bench, last in first out */
  teardown(close: () => unknown): void
}

export interface Bench {
  name: string
  about: string
  run(context: BenchContext): Promise<Row[]>
}

export function measureOf(figures: readonly number[]): Measure {
  const sorted = [...figures].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const median = sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
  return { median, min: sorted[0]!, max: sorted.at(-1)! }
}

/** The value below which `share` (0 to 1) of the figures lie. */
export function percentile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
}

/**
 * Measures several things in turns, so that a machine that slows down slows all of them. The first turn of each
 * warms up and is not counted.
 */
export async function takeTurns(
  rounds: number,
  measures: readonly ((round: number) => Promise<number>)[],
): Promise<Measure[]> {
  const figures = measures.map((): number[] => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [index, measure] of measures.entries()) {
      const figure = await measure(round)
      if (round > 0) figures[index]!.push(figure)
    }
  }
  return figures.map(measureOf)
}

/** Measures a subject and its limit in turns. */
export async function inTurns(
  rounds: number,
  subject: (round: number) => Promise<number>,
  limit: (round: number) => Promise<number>,
): Promise<{ subject: Measure; limit: Measure }> {
  const [ofSubject, ofLimit] = await takeTurns(rounds, [subject, limit])
  return { subject: ofSubject!, limit: ofLimit! }
}
