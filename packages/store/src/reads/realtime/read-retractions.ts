import type { CommittedPayment } from '@payment-tracking/contracts'
import { empty, raw, sql, type Store } from '../../core/database/sql.js'
import { readCommittedPayments } from '../../core/tables/committed-payments.js'

/** A key in the order of retractions. */
interface RetractionKey {
  retractedAt: Date
  id: string
}

const RETRACTIONS_READ = 1_000

/**
 * Payments with a tracking ID that were retracted within the last milliseconds, oldest retraction first, in pages of 1,000:
 * a chain can retract any number in a minute. Relies on events_retracted_at.
 * @param epoch that the caller knows; default: any
 * @throws StoreUnavailableError also when the payments are of another epoch
 */
export async function* readRecentRetractions(
  { database }: Store,
  withinMs: number,
  epoch?: string,
): AsyncGenerator<CommittedPayment[], void> {
  let after: RetractionKey | undefined
  for (;;) {
    const page: readonly RetractionKey[] = await database.read<RetractionKey>(sql`
      select e.id::text as id, e.retracted_at as "retractedAt" from events e
       where e.retracted_at > statement_timestamp() - ${withinMs}::float8 * interval '1 millisecond' and e.seq is not null
         ${after === undefined ? empty : sql`and (e.retracted_at, e.id) > (${after.retractedAt}, ${after.id}::uuid)`}
       order by e.retracted_at, e.id limit ${RETRACTIONS_READ}`)
    if (page.length > 0)
      yield await readCommittedPayments(
        database.read,
        sql`e.id = any(${page.map(({ id }) => id)}::uuid[])`,
        sql`order by e.retracted_at, e.tracking_id, e.seq`,
        epoch,
      )
    if (page.length < RETRACTIONS_READ) return
    after = page.at(-1)!
  }
}

/** Retracted payments of one tracking ID that are read, the latest: anybody can write any tracking ID. */
const MOST_OF_TRACKING = raw('1000')

/**
 * The retracted payments of some tracking IDs, the latest 1,000 of each. Relies on events_retracted_tracking.
 * @param epoch that the caller knows; default: any
 * @throws StoreUnavailableError also when the payments are of another epoch
 */
export async function readRetractionsOf(
  { database }: Store,
  trackingIds: readonly string[],
  epoch?: string,
): Promise<CommittedPayment[]> {
  if (trackingIds.length === 0) return []
  return readCommittedPayments(
    database.read,
    sql`e.id = any(array(
        select r.id from unnest(${[...trackingIds]}::text[]) as asked (tracking_id)
         cross join lateral (
           select e.id from events e
            where e.tracking_id = asked.tracking_id collate "C" and e.retracted_at is not null and e.seq is not null
            order by e.retracted_at desc limit ${MOST_OF_TRACKING}) r))`,
    sql`order by e.tracking_id, e.seq`,
    epoch,
  )
}
