// Finds the batches that a crash between commit and announcement left.
import type { CommittedPayment } from '@payment-tracking/contracts'
import { bigints, PAGE_LIMITS, runIn, sql, type Store } from '../../core/database/sql.js'
import { readCommittedPayments } from '../../core/tables/committed-payments.js'

/** Marks batches that were announced. SQL: the database's clock. */
export async function markRelayed({ database }: Store, batchIds: readonly bigint[]): Promise<void> {
  if (batchIds.length === 0) return
  await database.execute(sql`
      update ingest_batches set relayed_at = clock_timestamp()
       where id = any(${bigints(batchIds)}) and relayed_at is null`)
}

/** Seconds since the commit of the oldest batch that was not relayed; 0 when every batch was. */
export async function readOldestOutboxSeconds({ database }: Store): Promise<number> {
  const [row] = await database.read<{ seconds: number }>(sql`
      select extract(epoch from clock_timestamp() - committed_at)::float8 as seconds
        from ingest_batches where relayed_at is null order by id limit 1`)
  return Math.max(0, row?.seconds ?? 0)
}

export interface UnrelayedBatch {
  batchId: bigint
  /** the epoch of the database that the payments were read from */
  epoch: string
  payments: CommittedPayment[]
  committedAt: Date
}

interface Positions {
  first: bigint
  last: bigint
}

/**
 * Takes the oldest batches that were committed at least `olderThanMs` ago and not relayed, calls `relay` for each, and
 * marks the batch when `relay` resolves. Locks the batch rows and skips locked rows: sweepers of several replicas never
 * take the same batch at the same time. A failed batch stays for the next sweep.
 * Bounded: a transaction takes at most `limit` batches from the index of batches that are not relayed. A batch has at most
 * 10,000 messages, and its payments are read by the range of its positions. SQL: skips locked rows.
 * @returns how many batches were relayed
 */
export async function sweepBatches(
  { database }: Store,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
  relay: (batch: UnrelayedBatch) => Promise<void>,
): Promise<number> {
  return await database.transaction(async tx => {
    const rows = await tx.$queryRaw<(Omit<UnrelayedBatch, 'payments'> & Positions)[]>`
        select id as "batchId", first_position as first, last_position as last, committed_at as "committedAt",
               (select epoch::text from stream_head) as epoch
          from ingest_batches
         where relayed_at is null and committed_at < statement_timestamp() - ${olderThanMs} * interval '1 millisecond'
         order by id limit ${limit} for update skip locked`
    for (const { first, last, ...batch } of rows) {
      const which = sql`e.position between ${first} and ${last}`
      const payments = await readCommittedPayments(runIn(tx), which, sql`order by e.position`)
      await relay({ ...batch, payments })
      await tx.$executeRaw`update ingest_batches set relayed_at = clock_timestamp() where id = ${batch.batchId}`
    }
    return rows.length
  }, PAGE_LIMITS)
}
