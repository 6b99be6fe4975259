// What a crash between commit and announcement leaves behind, and how it is found.
import type { DeliveryRef, CommittedPayment } from '@payment-tracking/contracts'
import { Prisma } from '../generated/client.js'
import { translateStoreError } from '../errors.js'
import { readPaymentFacts } from '../payment-facts.js'
import type { Store } from '../store.js'

/** The batches were announced and their deliveries enqueued. */
export async function markHandedOver(store: Store, batchIds: readonly bigint[]): Promise<void> {
  if (batchIds.length === 0) return
  try {
    await store.prisma.$executeRaw`
      update ingest_batches set handed_over_at = clock_timestamp()
       where id = any(${batchIds.map(String)}::bigint[]) and handed_over_at is null`
  } catch (error) {
    throw translateStoreError(error)
  }
}

/** Seconds since the oldest batch that was not handed over was committed; 0 when there is none. */
export async function readOldestOutboxSeconds(store: Store): Promise<number> {
  try {
    const [row] = await store.prisma.$queryRaw<{ seconds: number }[]>`
      select extract(epoch from clock_timestamp() - committed_at)::float8 as seconds
        from ingest_batches where handed_over_at is null order by id limit 1`
    return Math.max(0, row?.seconds ?? 0)
  } catch (error) {
    throw translateStoreError(error)
  }
}

interface BatchRow {
  id: bigint
  first_position: bigint
  last_position: bigint
  committed_at: Date
}

export interface LeftBatch {
  batchId: bigint
  payments: CommittedPayment[]
  committedAt: Date
  deliveries: DeliveryRef[]
}

/**
 * Takes the oldest batches that were committed at least `olderThanMs` ago and not handed over, hands each to
 * `handOver`, and marks it when that resolves. Locks the batch rows and skips locked ones: sweepers of several
 * replicas never take the same batch at the same time. What fails stays for the next sweep.
 * @returns how many batches were handed over
 */
export async function sweepBatches(
  store: Store,
  { olderThanMs, limit }: { olderThanMs: number; limit: number },
  handOver: (batch: LeftBatch) => Promise<void>,
): Promise<number> {
  try {
    return await store.prisma.$transaction(
      async tx => {
        const rows = await tx.$queryRaw<BatchRow[]>`
          select id, first_position, last_position, committed_at from ingest_batches
           where handed_over_at is null and committed_at < clock_timestamp() - ${olderThanMs} * interval '1 millisecond'
           order by id limit ${limit} for update skip locked`
        for (const { id, first_position, last_position, committed_at } of rows) {
          const payments = await readPaymentFacts(
            tx,
            Prisma.sql`e.position between ${first_position} and ${last_position}`,
            Prisma.sql`order by e.position`,
          )
          const deliveries = await tx.$queryRaw<DeliveryRef[]>`
            select d.id, d.webhook_id as "webhookId" from events e join deliveries d on d.event_id = e.id
             where e.position between ${first_position} and ${last_position} and d.state = 'pending'`
          await handOver({ batchId: id, committedAt: committed_at, payments, deliveries })
          await tx.$executeRaw`update ingest_batches set handed_over_at = clock_timestamp() where id = ${id}`
        }
        return rows.length
      },
      { maxWait: 10_000, timeout: 60_000 },
    )
  } catch (error) {
    throw translateStoreError(error)
  }
}
