import type { DeliveryState } from '@payment-tracking/domain'
import { sql, type Store } from '../core/database/sql.js'
import { isolate } from '../core/quarantine/isolate.js'
import { deliveriesIn } from '../core/tables/delivery-ranges.js'
import { continueAt } from '../core/tasks/work-table.js'
import { openCycle } from './open-cycle.js'
import { readRedeliveryQuota } from './replay/redeliver.js'
import type { WebhookPage, WebhookWork } from './webhook-page.js'

/** What a redelivery was asked for. */
interface RedeliveryState {
  /** when its deliveries were made, as ISO 8601 */
  madeSince: string
  madeUntil: string
  states: DeliveryState[]
}

/** For each delivery of a page, how many deliveries a redelivery reads: those of other times are passed over. */
const SCANNED_FOR_EACH = 10

/**
 * Opens a cycle for deliveries of a span of time. A webhook that was turned off meanwhile gets nothing, also where it is on again when the page is written. What exceeds the
 * gateway's quota of the day goes on the next day.
 */
export async function redeliverPage(store: Store, work: WebhookWork, atMost: number): Promise<WebhookPage> {
  if (!work.isActive) return { done: [work], handled: 0, deliveries: [], hasMore: false }
  const { madeSince, madeUntil, states } = work.state as RedeliveryState
  const after = BigInt(work.cursor || '0')
  const quota = await readRedeliveryQuota(store, work.gateway)
  const limit = Math.min(atMost, quota.remaining)
  if (limit === 0) {
    const none = { handled: 0, deliveries: [], hasMore: true }
    return { done: [], continued: work, ...none, delaySeconds: quota.goesOnInSeconds }
  }
  const most = limit * SCANNED_FOR_EACH
  const scanned = deliveriesIn(work, states, {
    after,
    order: 'asc',
    limit: most,
  })
  const [found] = await store.database.read<{
    ids: bigint[] | null
    scanned: number
    last: bigint | null
  }>(sql`
    with scanned as (select l.id, l.created_at from ${scanned} l order by l.id limit ${most}),
         fitting as (select id from scanned
                      where created_at >= ${madeSince}::timestamptz and created_at <= ${madeUntil}::timestamptz order by id limit ${limit})
    select (select array_agg(id order by id) from fitting) as ids,
           (select count(*)::int from scanned) as scanned, (select max(id) from scanned) as last`)
  const ids = found?.ids ?? []
  const opened = await isolate(store, 'redeliver', ids, some =>
    openCycle(store, {
      ids: some,
      isCounted: true,
      states,
      activation: work.activation,
      openedBefore: work.addedAt,
    }),
  )
  const deliveries = opened.flat()
  const hasMore = ids.length === limit || found!.scanned === most
  const last = (ids.length === limit ? ids.at(-1) : found!.last) ?? after
  return {
    ...continueAt(work, hasMore ? last.toString() : null),
    handled: deliveries.length,
    deliveries,
    hasMore,
  }
}
