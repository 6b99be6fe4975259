import { mayExpire } from '@payment-tracking/domain'
import { columnTable } from '../database/columns.js'
import { sql, type Tx } from '../database/sql.js'
import type { Expectation } from './expectations.js'

/** When time alone may change something: null is never, or not before stored payments are counted. */
function nextCheckAt({ terms, counting, notified }: Expectation): string | null {
  const waits = mayExpire(notified.all.state) || mayExpire(notified.final.state)
  return !counting && waits ? (terms.expiresAt?.toISOString() ?? null) : null
}

const EXPECTATIONS = columnTable<Expectation>('v', {
  id: ['uuid', ({ terms }) => terms.id],
  counting: ['boolean', ({ counting }) => counting],
  paid_amount: ['numeric', ({ sums }) => sums.all.paidAmount.toString()],
  in_time_amount: ['numeric', ({ sums }) => sums.all.inTimeAmount.toString()],
  payment_count: ['bigint', ({ sums }) => sums.all.paymentCount.toString()],
  state: ['text', ({ notified }) => notified.all.state],
  changed_at: ['timestamptz', ({ notified }) => notified.all.changedAt.toISOString()],
  changes: ['bigint', ({ notified }) => notified.all.changes.toString()],
  cause_id: ['uuid', ({ cause }) => cause?.eventId ?? null],
  cause_position: ['bigint', ({ cause }) => cause?.position.toString() ?? null],
  final_paid_amount: ['numeric', ({ sums }) => sums.final.paidAmount.toString()],
  final_in_time_amount: ['numeric', ({ sums }) => sums.final.inTimeAmount.toString()],
  final_payment_count: ['bigint', ({ sums }) => sums.final.paymentCount.toString()],
  final_state: ['text', ({ notified }) => notified.final.state],
  final_changed_at: ['timestamptz', ({ notified }) => notified.final.changedAt.toISOString()],
  final_changes: ['bigint', ({ notified }) => notified.final.changes.toString()],
  next_check_at: ['timestamptz', nextCheckAt],
})

/** Writes rows that the transaction has locked. SQL: a model writes one row in a statement. */
export async function writeExpectations(tx: Tx, moved: readonly { after: Expectation }[]): Promise<void> {
  if (moved.length === 0) return
  const changed = moved.map(({ after }) => after)
  await tx.$executeRaw(sql`
    update expectations x set ${EXPECTATIONS.listed} from ${EXPECTATIONS.listOf(changed)} where x.id = v.id`)
}
