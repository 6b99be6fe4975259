import { ServiceError } from '@payment-tracking/runtime'
import type { ExpectationRecord } from '@payment-tracking/domain'
import { logChangeOf, type Author } from '../../core/tables/write-changes.js'
import { sql, type Store } from '../../core/database/sql.js'
import { readExpectations } from '../../core/tables/expectations.js'

export class ExpectationPaidError extends ServiceError {
  readonly code = 'EXPECTATION_PAID'
  readonly retry = 'never'
}

export class ExpectationCountingError extends ServiceError {
  readonly code = 'EXPECTATION_COUNTING'
  readonly retry = 'later'
}

/**
 * Cancels an expectation that is not paid: from then on nothing counts. Cancelled once, it stays so, and is answered again.
 *
 * One statement, which is a transaction of its own, and must be: ingest may wait for the row, and no process can be paused between
 * a statement and its commit. It waits for a transaction that counts a payment at the same moment, and judges what that one wrote.
 * The scheduler writes and notifies of what follows (expire-expectations.ts); readers see it at once. SQL: compares two columns.
 * @param author for the log of changes; null: the service itself
 * @returns null where the gateway has no such expectation; `isNew` is false where it was cancelled before
 * @throws ExpectationPaidError, ExpectationCountingError: nothing is written
 */
export async function cancelExpectation(
  { database }: Store,
  gateway: string,
  id: string,
  author: Author | null = null,
): Promise<{ record: ExpectationRecord; isNew: boolean } | null> {
  const cancelled = await database.write(sql`
    with changed as (
      update expectations set cancelled_at = clock_timestamp(), next_check_at = clock_timestamp()
       where id = ${id}::uuid and gateway = ${gateway} and cancelled_at is null and not counting and paid_amount < amount
      returning id::text as subject, tracking_id as name
    ), ${logChangeOf(gateway, author, 'expectation.cancelled')}
    select from changed`)
  const [found] = await readExpectations(
    database.read,
    sql`where x.id = ${id}::uuid and x.gateway = ${gateway}`,
  )
  if (!found) return null
  const { record, counting } = found
  if (record.state === 'cancelled') return { record, isNew: cancelled.length > 0 }
  const isPaid = !counting && (record.state === 'paid' || record.state === 'overpaid')
  if (isPaid) throw new ExpectationPaidError('It is paid: the expectation cannot be cancelled any more.')
  // Where it counts no more, the count ended after the statement: it can be cancelled now.
  throw new ExpectationCountingError(
    'Stored payments are still being counted: whether it is paid is known in a moment.',
  )
}
