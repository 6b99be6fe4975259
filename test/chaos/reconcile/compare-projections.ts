// Projections and aggregates, row by row.
import {
  PROJECTIONS,
  projectionsIn,
  projectionsOf,
  type Model,
  type Projection,
  type Row,
} from '@payment-tracking/testkit/oracle'
import type { CommitChecker } from '../load/commit-checker.js'
import type { Differences } from './differences.js'

export async function compareProjections(
  checker: CommitChecker,
  model: Model,
  differences: Differences,
): Promise<void> {
  const tables = {} as Record<Projection, Row[]>
  for (const [table, query] of Object.entries(PROJECTIONS))
    tables[table as Projection] = await checker.query<Row>(query)
  const found = projectionsIn(tables)
  for (const [table, rows] of Object.entries(projectionsOf(model)))
    differences.compareMaps(table, rows, found[table as Projection])
}
