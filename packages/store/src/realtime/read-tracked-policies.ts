import { dueNoticeOf, type LifecyclePolicy, type TrackedPolicy } from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { LIFECYCLE_COLUMNS, toLifecyclePolicy, WITH_USER_PAYMENT, type LifecycleRow } from '../policy-rows.js'

type Row = LifecycleRow &
  Omit<TrackedPolicy, keyof LifecyclePolicy | 'notices'> & {
    dueAt: bigint | null
    endsAt: bigint | null
    now: number
  }

/**
 * Living policies of some tracking IDs, and some policies by address whether they live or not.
 * Relies on policies_tracking_live and the primary key.
 * @throws StoreUnavailableError
 */
export async function readTrackedPolicies(
  { database }: Store,
  asked: {
    trackingIds: readonly string[]
    addresses: readonly string[]
    soonSeconds: number
    graceSeconds: number
  },
): Promise<TrackedPolicy[]> {
  const trackingIds = [...asked.trackingIds]
  const rows = await database.read<Row>(sql`
    select ${LIFECYCLE_COLUMNS}, p.deleted_order as "deletedOrder", p.status_order as "statusOrder",
           p.last_payment_order as "lastPaymentOrder", p.changed_status as "changedStatus", p.live,
           p.due_at as "dueAt", p.ends_at as "endsAt", floor(extract(epoch from clock_timestamp()))::float8 as now
      from (select * from policies where tracking_id = any(${trackingIds}::text[]) and live
            union all
            select * from policies
             where address = any(${[...asked.addresses]}::text[])
               and (live and tracking_id = any(${trackingIds}::text[])) is not true) p
      ${WITH_USER_PAYMENT}
     where p.life_start is not null and p.gateway is not null`)
  return rows.map(row => {
    const notice = dueNoticeOf(row, row.now, asked)
    return { ...toLifecyclePolicy(row), notices: notice === null ? [] : [`${notice.type} ${notice.at}`] }
  })
}

interface EventPlace {
  signature: string
  slot: number
  occurredAt: Date
}

/** The transactions of events. @returns by event id */
export async function readEventPlaces(
  { database }: Store,
  eventIds: readonly string[],
): Promise<Map<string, EventPlace>> {
  if (eventIds.length === 0) return new Map()
  const rows = await database.read<{ id: string } & EventPlace>(sql`
    select id, signature, slot::float8 as slot, occurred_at as "occurredAt" from events
     where id = any(${[...eventIds]}::uuid[])`)
  return new Map(rows.map(({ id, ...place }) => [id, place]))
}
