// How many rows a page of work takes, so that it holds the writer lock for about 50 ms whatever the machine and its load.
import { MAX_PAGE_ROWS } from './work-table.js'

/** How long a page should hold the writer lock, in milliseconds. */
const LOCK_MS = 50
const FIRST_ROWS = 100
const FEWEST_ROWS = 20

/** Chooses the rows of the next page of each kind by how long the pages before held the lock. */
export class PageSizer {
  readonly #rows = new Map<string, number>()

  rowsOf(kind: string): number {
    return this.#rows.get(kind) ?? FIRST_ROWS
  }

  /** @param lockedMs how long a page of `rowsOf(kind)` rows held the lock */
  note(kind: string, lockedMs: number): void {
    const rows = this.rowsOf(kind)
    // A page can hold fewer rows than it may, so the size grows slowly, and shrinks at once.
    const wanted = lockedMs > LOCK_MS ? (rows * LOCK_MS) / lockedMs : rows * 1.25
    this.#rows.set(kind, Math.round(Math.min(MAX_PAGE_ROWS, Math.max(FEWEST_ROWS, wanted))))
  }
}
