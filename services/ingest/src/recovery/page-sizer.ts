// Chooses how many rows a page of an upgrade has. Live messages wait while a page is written, so a page should take little
// time. But part of that time does not depend on the number of rows, and on a busy machine it is the larger part. There,
// smaller pages would make the upgrade longer and no message would wait less.

/** Pages have 1, 1/2, 1/4 … of the most rows. */
const SIZES = 8
const FIRST_SIZE = 4
/** Live messages may wait so long for a page. */
const LONGEST_PAGE_MS = 100
/** Half as many rows are worth it when the page then takes less than this share of the time. */
const WORTH_IT = 3 / 4
/** The load of a machine changes, so an older duration does not count. */
const COUNTS_FOR_PAGES = 64

export class PageSizer {
  readonly #durations: ({ ms: number; page: number } | undefined)[] = Array.from({ length: SIZES })
  #page = 0
  #size = FIRST_SIZE

  /** the size of the next page, as a share of the largest */
  get share(): number {
    return 2 ** -this.#size
  }

  /** Records how long a page with the current share took, and chooses the next share. */
  record(ms: number): void {
    const before = this.#durationOf(this.#size)
    const mean = before === undefined ? ms : (before + ms) / 2
    this.#durations[this.#size] = { ms: mean, page: ++this.#page }
    const half = this.#durationOf(this.#size + 1)
    const twice = this.#durationOf(this.#size - 1)
    if (mean <= LONGEST_PAGE_MS) {
      if ((twice ?? 2 * mean) <= LONGEST_PAGE_MS) this.#resize(-1)
    } else if (half === undefined ? this.#size < SIZES - 1 : half < WORTH_IT * mean) this.#resize(1)
    else if (twice === undefined || mean >= WORTH_IT * twice) this.#resize(-1)
  }

  #durationOf(size: number): number | undefined {
    const duration = this.#durations[size]
    return duration && this.#page - duration.page < COUNTS_FOR_PAGES ? duration.ms : undefined
  }

  #resize(by: 1 | -1): void {
    this.#size = Math.min(SIZES - 1, Math.max(0, this.#size + by))
  }
}
