// What a transaction of ingest means for expected payments. Most batches name no expected tracking ID and cost nothing here.
import type { PipelinedTx } from '../../core/database/sql.js'
import { addKeys } from '../../core/tasks/work-table.js'
import { findFinalPairs, findPairs } from './find-pairs.js'
import { recount, type Pair } from './recount.js'
import { NO_CHANGES, type ExpectationChanges } from '../../messages/expectations/apply-states.js'

export interface ExpectedInput {
  /** stored payments that came, were retracted, are final by their own message, or got other details */
  eventIds: readonly string[]
  /** the highest final slot after the transaction */
  finalizedSlot: bigint
  /** whether the transaction moved it */
  hasMoved: boolean
  /** the last position of an event when the transaction commits */
  position: bigint
}

/** Pairs that any transaction may count. */
const FEW = 200
/** Payments of which a transaction notes that they are final. */
export const FINAL_AT_ONCE = 500

/**
 * Counts the payments of a transaction for the expectations that they concern, and notifies of what changed. The payments are
 * stored. What concerns too many expectations becomes work.
 */
export async function expectBatch(tx: PipelinedTx, input: ExpectedInput): Promise<ExpectationChanges> {
  const { eventIds, finalizedSlot, hasMoved, position } = input
  if (eventIds.length === 0 && !hasMoved) return NO_CHANGES
  const [{ pairs, rest }, final] = await Promise.all([
    findPairs(tx, eventIds, Math.max(FEW, 2 * eventIds.length)),
    hasMoved ? findFinalPairs(tx, finalizedSlot, FINAL_AT_ONCE) : [],
  ])
  addKeys(tx, 'expected-payment', rest)
  if (final.length === FINAL_AT_ONCE) addKeys(tx, 'expected-finality', [''])
  return recount(tx, distinct([...pairs, ...final]), { finalizedSlot, position })
}

const distinct = (pairs: readonly Pair[]): Pair[] => [
  ...new Map(pairs.map(pair => [`${pair.expectationId} ${pair.eventId}`, pair])).values(),
]
