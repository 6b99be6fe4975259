import { dueNoticeOf, type LifecyclePolicy, type TrackedPolicy } from '@payment-tracking/domain'
import { isNotQuarantined, isolate } from '../../core/quarantine/isolate.js'
import { hidden, raw, sql, type Sql, type Store } from '../../core/database/sql.js'
import {
  LIFECYCLE_COLUMNS,
  toLifecyclePolicy,
  WITH_USER_PAYMENT,
  type LifecycleRow,
} from '../../core/tables/policy-rows.js'

type TrackedPolicyRow = LifecycleRow &
  Omit<TrackedPolicy, keyof LifecyclePolicy | 'notices'> & {
    dueAt: bigint | null
    endsAt: bigint | null
    now: number
  }

/** What one check asks: living policies of tracking IDs, and policies by address whether they live or not. */
interface Asked {
  trackingIds: readonly string[]
  addresses: readonly string[]
  soonSeconds: number
  graceSeconds: number
}

/** Living policies of one tracking ID that a check reads, the newest: anybody can make policies with any tracking ID. */
const POLICIES_OF_TRACKING = raw('1000')
/** Tracking IDs, or addresses, of one statement. */
const PAGE = 500

/**
 * Living policies of some tracking IDs, the newest 1,000 of each, and some policies by address whether they live or not.
 * A tracking ID or an address that makes the statement fail is quarantined, and left out from then on.
 * Pages of 500 tracking IDs or addresses, by policies_tracking_live and the primary key. Takes no locks.
 * @throws StoreUnavailableError
 */
export async function readTrackedPolicies(store: Store, asked: Asked): Promise<TrackedPolicy[]> {
  const keys = [
    ...asked.trackingIds.map(value => new AskedKey('trackingIds', value)),
    ...asked.addresses.map(value => new AskedKey('addresses', value)),
  ]
  const found: TrackedPolicy[][] = []
  for (let from = 0; from < keys.length; from += PAGE)
    found.push(
      ...(await isolate(store, 'check-policies', keys.slice(from, from + PAGE), some =>
        readPage(store, {
          ...asked,
          trackingIds: some.flatMap(key => (key.by === 'trackingIds' ? [key.value] : [])),
          addresses: some.flatMap(key => (key.by === 'addresses' ? [key.value] : [])),
        }),
      )),
    )
  // Pages may find the same policy by its tracking ID and by its address.
  return [...new Map(found.flat().map(policy => [policy.address, policy])).values()]
}

/** What a check asks for; its text names it where it is quarantined. */
class AskedKey {
  constructor(
    readonly by: 'trackingIds' | 'addresses',
    readonly value: string,
  ) {}

  toString(): string {
    return `${this.by === 'trackingIds' ? 'tracking ID' : 'policy'} ${this.value}`
  }
}

async function readPage({ database }: Store, asked: Asked): Promise<TrackedPolicy[]> {
  const trackingIds = [...asked.trackingIds]
  const isKept = (by: string, key: Sql) => isNotQuarantined('check-policies', sql`${by} || ' ' || ${key}`)
  const rows = await database.read<TrackedPolicyRow>(sql`
    select ${LIFECYCLE_COLUMNS}, p.deleted_order as "deletedOrder", p.status_order as "statusOrder",
           p.last_payment_order as "lastPaymentOrder", p.changed_status as "changedStatus", p.live,
           p.due_at as "dueAt", p.ends_at as "endsAt", floor(extract(epoch from clock_timestamp()))::float8 as now
      from (select p.*
              from unnest(${trackingIds}::text[]) asked (tracking_id)
             cross join lateral (
               select * from policies p
                where p.tracking_id = asked.tracking_id collate "C" and p.live
                order by p.created_at desc, p.address desc limit ${POLICIES_OF_TRACKING}) p
             where ${isKept('tracking ID', sql`p.tracking_id`)}
            union all
            select p.* from policies p
             where p.address = any(${[...asked.addresses]}::text[]) and ${isKept('policy', sql`p.address`)}) p
      ${WITH_USER_PAYMENT}
     where p.incarnation_start is not null and p.gateway is not null`)
  return rows.map(row => {
    const notice = dueNoticeOf(row, row.now, asked)
    return { ...toLifecyclePolicy(row), notices: notice === null ? [] : [`${notice.type} ${notice.at}`] }
  })
}

interface EventTransaction {
  signature: string
  slot: number
  occurredAt: Date
}

/** The transactions of events. @returns by event id */
export async function readEventTransactions(
  { database }: Store,
  eventIds: readonly string[],
): Promise<Map<string, EventTransaction>> {
  if (eventIds.length === 0) return new Map()
  const rows = await database.read<{ id: string } & EventTransaction>(sql`
    select id, signature, slot::float8 as slot, occurred_at as "occurredAt" from events
     where id = any(${hidden(sql`${[...eventIds]}::uuid[]`)}::uuid[])`)
  return new Map(rows.map(({ id, ...transaction }) => [id, transaction]))
}
