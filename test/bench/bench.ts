// The words of the benches.
import type { ServerUrls } from '@payment-tracking/stack'

export interface Row {
  /** what was measured, such as "one payment and its delivery" */
  subject: string
  unit: string
  figure: number
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

/** A bench whose figures stand alone. */
export interface Bench {
  name: string
  about: string
  run(context: BenchContext): Promise<Row[]>
}

/** A row of `--gate`: a subject is measured beside a limit, in turns, in one run, and the ratio is what counts. */
export interface GateRow {
  name: string
  /** CPU of the subject for one operation, in µs. Each call is one turn. */
  subject: () => Promise<number>
  /** the same of the limit */
  limit: () => Promise<number>
}

/** Rows of `--gate` that share servers and processes. */
export interface GateKind {
  /** the names of its rows */
  rows: readonly string[]
  /** Starts new processes: of one program one process is compiled better than the next, and stays so. */
  open(context: BenchContext): Promise<GateRow[]>
}
