import fc from 'fast-check'
import type { Test } from 'tap'

/**
 * Asserts that a property holds: its predicate, written with node:assert, throws for no generated value.
 * One assertion, whose message on failure is the smallest counterexample and the seed that leads to it.
 */
export function hold<Ts>(t: Test, title: string, property: fc.IProperty<Ts>, runs: number): void {
  const details = fc.check(property, { numRuns: runs })
  t.notOk(details.failed, fc.defaultReportMessage(details) ?? title)
}
