// Announcements outside of the batch that stored the event: payments whose policy came later, and retractions. The
// transaction of the cause writes a row, and the row is removed once Redis has the announcement. After a crash in
// between, the sweeper finds the row.
import { PAGE_LIMITS, runIn, sql, type PipelinedTx, type Store } from '../../core/database/sql.js'
import type { CommittedPayment } from '@payment-tracking/contracts'
import { readCommittedPayments } from '../../core/tables/committed-payments.js'

/**
 * Of payments with a tracking ID: a client can subscribe to no other.
 * @returns the rows, which the caller removes after the announcement
 */
export async function recordAnnouncements(
  tx: PipelinedTx,
  kind: 'payment' | 'retraction',
  payments: readonly CommittedPayment[],
): Promise<bigint[]> {
  const followed = payments.filter(({ trackingId }) => trackingId !== null)
  if (followed.length === 0) return []
  const data = followed.map(({ eventId }) => ({ eventId, kind }))
  const rows = await tx.withModels(client =>
    client.announcement.createManyAndReturn({ data, select: { id: true } }),
  )
  return rows.map(({ id }) => id)
}

/** Removes the rows of announced events. */
export async function removeAnnouncements({ database }: Store, ids: readonly bigint[]): Promise<void> {
  if (ids.length === 0) return
  await database.withModels(client => client.announcement.deleteMany({ where: { id: { in: [...ids] } } }))
}

/**
 * Takes the oldest announcements that were committed at least `olderThanMs` ago, passes them to `announce`, and removes
 * them when `announce` resolves. Skips rows that another sweeper has locked.
 * One transaction of at most `limit` rows, by their key. SQL: skips locked rows.
 * @returns how many were announced
 */
export async function sweepAnnouncements(
  { database }: Store,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
  announce: (changes: {
    /** the epoch of the database that the payments were read from */
    epoch: string
    payments: CommittedPayment[]
    retractions: CommittedPayment[]
  }) => Promise<void>,
): Promise<number> {
  return database.transaction(async tx => {
    const rows = await tx.$queryRaw<{ id: bigint; event_id: string; kind: string; epoch: string }[]>`
        select id, event_id, kind, (select epoch::text from stream_head) as epoch from announcements
         where committed_at < statement_timestamp() - ${olderThanMs} * interval '1 millisecond'
         order by id limit ${limit} for update skip locked`
    if (rows.length === 0) return 0
    const which = sql`e.id = any(${rows.map(row => row.event_id)}::uuid[])`
    const committed = await readCommittedPayments(runIn(tx), which, sql`order by e.position`)
    const retracted = new Set(rows.filter(({ kind }) => kind === 'retraction').map(row => row.event_id))
    await announce({
      epoch: rows[0]!.epoch,
      payments: committed.filter(({ eventId, retracted: gone }) => !retracted.has(eventId) && !gone),
      retractions: committed.filter(({ eventId }) => retracted.has(eventId)),
    })
    await tx.announcement.deleteMany({ where: { id: { in: rows.map(({ id }) => id) } } })
    return rows.length
  }, PAGE_LIMITS)
}
