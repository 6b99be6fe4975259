// The specification as rows: what each sentence and each row of its tables says, and the check of it.
import type { Test } from 'tap'

export interface Row {
  section: number
  /** the table of the section; a sentence has none */
  table?: string
  /** the sentence, or the field, in our words */
  says: string
  /** @throws when the sentence does not hold */
  check: () => Promise<void> | void
}

/** A sentence that is checked as other rows, each named as `section table: says`. */
export interface Repeated {
  section: number
  table?: string
  says: string
  as: readonly string[]
}

const checked = new Set<string>()
const repeated: Repeated[] = []

const titleOf = ({ section, table }: Pick<Repeated, 'section' | 'table'>): string =>
  `${section} ${table ?? 'sentences'}`

/** What the specification says more than once is checked once. To be called behind the rows of all files. */
export function checkRepeated(t: Test): void {
  for (const row of repeated)
    for (const other of row.as) t.ok(checked.has(other), `section ${titleOf(row)}: ${row.says}: is ${other}`)
}

/** @param tables how many rows each table of the specification has, by `section table` */
export async function checkRows(
  t: Test,
  rows: readonly (Row | Repeated)[],
  tables: Readonly<Record<string, number>>,
): Promise<void> {
  const counts: Record<string, number> = {}
  for (const row of rows) if (row.table !== undefined) counts[titleOf(row)] = (counts[titleOf(row)] ?? 0) + 1
  t.strictSame(counts, tables, 'each table has as many rows as in the specification')
  for (const row of rows) {
    if ('as' in row) {
      repeated.push(row)
      continue
    }
    const title = `${titleOf(row)}: ${row.says}`
    checked.add(title)
    const problem = await Promise.resolve()
      .then(row.check)
      .then(() => null, String)
    t.equal(problem, null, `section ${title}`)
  }
}
