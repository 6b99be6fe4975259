// Whether a due payment will come is told by what the nodes see of token accounts. This file is where customers read it.
import type { Store } from '../database/open-store.js'
import { raw, type Sql } from '../database/sql.js'
import type { TimelineEntry } from './timeline/entries.js'

/**
 * Whether the next payment of a policy `p` is at risk. Nobody reads token accounts yet, so no policy is.
 * Readers: the state of a customer, and the filter by it.
 */
export const isAtRisk = (): Sql => raw('false')

/**
 * When policies were at risk, and not any more: entries `at_risk` and `at_risk_cleared`, from one millisecond up to another.
 * Nobody reads token accounts yet, so there are none.
 */
export const readRisks = (
  _store: Pick<Store, 'database'>,
  _policies: readonly string[],
  _span: { fromMs: number; toMs: number },
): Promise<TimelineEntry[]> => Promise.resolve([])
