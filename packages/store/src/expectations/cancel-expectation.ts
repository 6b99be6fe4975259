import { ServiceError } from '@payment-tracking/runtime'
import type { ExpectationRecord } from '@payment-tracking/domain'
import { runIn } from '../database/database.js'
import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { readExpectations } from './expectation-rows.js'

export class ExpectationPaidError extends ServiceError {
  readonly code = 'EXPECTATION_PAID'
  readonly retry = 'never'

  constructor() {
    super('Something was paid already: the expectation cannot be cancelled any more.')
  }
}

export class ExpectationCountingError extends ServiceError {
  readonly code = 'EXPECTATION_COUNTING'
  readonly retry = 'later'

  constructor() {
    super('Stored payments are still being counted: whether something was paid is known in a moment.')
  }
}

/**
 * Cancels an expectation to which nothing was paid: from then on nothing counts. Waits for a transaction that counts a
 * payment at the same moment. Cancelled once, it stays so, and is answered again.
 * @returns null where the gateway has no such expectation; `isNew` is false where it was cancelled before
 * @throws ExpectationPaidError, ExpectationCountingError: nothing is written
 */
export const cancelExpectation = (
  { database }: Store,
  gateway: string,
  id: string,
): Promise<{ record: ExpectationRecord; isNew: boolean } | null> =>
  database.transaction(async tx => {
    const [row] = await tx.$queryRaw<{ paid: boolean; counting: boolean; cancelled: boolean }[]>`
      select paid_amount > 0 as paid, counting, cancelled_at is not null as cancelled from expectations
       where id = ${id}::uuid and gateway = ${gateway} for no key update`
    if (!row) return null
    if (row.paid) throw new ExpectationPaidError()
    if (row.counting) throw new ExpectationCountingError()
    // A payment of 0 counts as a payment until then.
    if (!row.cancelled)
      await tx.$executeRaw`
        update expectations
           set cancelled_at = clock_timestamp(), look_at = null,
               state = 'cancelled', changed_at = clock_timestamp(), changes = changes + 1,
               in_time_amount = 0, payment_count = 0,
               final_state = 'cancelled', final_changed_at = clock_timestamp(), final_changes = final_changes + 1,
               final_paid_amount = 0, final_in_time_amount = 0, final_payment_count = 0
         where id = ${id}::uuid`
    const [cancelled] = await readExpectations(runIn(tx) as never, sql`where x.id = ${id}::uuid`)
    return { record: cancelled!.record, isNew: !row.cancelled }
  })
