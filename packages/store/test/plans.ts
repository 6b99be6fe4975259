// What Postgres says of a statement: the plan as `explain (format json)` answers it.

/** Where the store tells each statement it sends. */
export const STATEMENTS = 'payment-tracking:store:statement'

export interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: Plan[]
  // Only of a statement that ran.
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
}

/** The indexes that a plan uses. */
export const indexesOf = (plan: Plan): string[] => [
  ...(plan['Index Name'] === undefined ? [] : [plan['Index Name']]),
  ...(plan.Plans ?? []).flatMap(indexesOf),
]

/** The rows that a plan took from tables and indexes, those it dropped included, and those it wrote. */
export function rowsOfPlan(plan: Plan): number {
  const inner = (plan.Plans ?? []).reduce((total, child) => total + rowsOfPlan(child), 0)
  if (plan['Relation Name'] === undefined) return inner
  const perLoop =
    plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0)
  return inner + perLoop * plan['Actual Loops']
}

/** How often a plan touched a block of a table or an index, which tells of entries of an index that it passed. */
export const blocksOf = (plan: Plan): number =>
  (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0)

/** Reads all pages. */
export async function readPages<Page>(pages: AsyncIterable<Page>): Promise<Page[]> {
  const read: Page[] = []
  for await (const page of pages) read.push(page)
  return read
}
