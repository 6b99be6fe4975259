// The words of `npm run bench -- --gate`.
import type { BenchContext } from '../bench.js'

/** One row: a subject and its limit. */
export interface GateRow {
  name: string
  /** CPU of the subject for one operation, in µs. Each call is one turn. */
  subject: () => Promise<number>
  /** the same of the limit */
  limit: () => Promise<number>
}

/** Rows that share servers and processes. */
export interface GateKind {
  /** the names of its rows */
  rows: readonly string[]
  /** Starts new processes: of one program one process is compiled better than the next, and stays so. */
  open(context: BenchContext): Promise<GateRow[]>
}
