import { allOf, empty, inline, raw, sql, type Store } from '../../core/database/sql.js'
import { IS_ACTIVE, IS_LIVE, IS_OPEN } from '../../core/tables/delivery-rows.js'
import { DELIVERY_COLUMNS, type DeliveryRecord } from '../webhooks/delivery-records.js'

export interface FailedDelivery extends DeliveryRecord {
  gateway: string
  endpointUrl: string
  /** only deliveries of active webhooks can be delivered again */
  active: boolean
}

export interface FailedDeliveryFilter {
  gateway?: string | undefined
  /** a part of the endpoint's URL */
  endpoint?: string | undefined
  /** a part of the last error */
  error?: string | undefined
}

const FAILED_DELIVERY_COLUMNS = sql`${DELIVERY_COLUMNS}, w.gateway, w.endpoint_url as "endpointUrl",
  ${IS_ACTIVE} as active`

/** Failed deliveries that one page looks at: a filter can refuse all of them. */
const MOST_SEEN = raw('10000')

export interface FailedDeliveryPage {
  items: readonly FailedDelivery[]
  /** the `before` of the next page; null on the last page */
  next: bigint | null
}

/**
 * Failed deliveries of all gateways, newest first. A page looks at 10,000 deliveries, so with a filter it can have fewer
 * than asked for and still have a next. Relies on deliveries_failed.
 */
export async function listFailedDeliveries(
  { database }: Store,
  page: FailedDeliveryFilter & { before?: bigint | undefined; limit: number },
): Promise<FailedDeliveryPage> {
  const { before, gateway, endpoint, error, limit } = page
  const conditions = [sql`true`]
  if (gateway !== undefined) conditions.push(sql`w.gateway = ${gateway}`)
  if (endpoint !== undefined) conditions.push(sql`strpos(w.endpoint_url, ${endpoint}) > 0`)
  if (error !== undefined) conditions.push(sql`strpos(d.last_error, ${error}) > 0`)
  const isFailed = sql`state = 'failed' ${before === undefined ? empty : sql`and id < ${before}`}`
  // Read first, so that no delivery lies between this page and the next, whatever fails or ends meanwhile.
  const [last] = await database.read<{ id: bigint }>(sql`
    select id from deliveries where ${isFailed} order by id desc offset ${MOST_SEEN} - 1 limit 1`)
  const items = await database.read<FailedDelivery>(sql`
    select ${FAILED_DELIVERY_COLUMNS}
      from (select * from deliveries where ${isFailed} and id >= ${last?.id ?? 0n} order by id desc offset 0) d
      join webhooks w on w.id = d.webhook_id
     where ${allOf(conditions)} order by d.id desc limit ${limit}`)
  return { items, next: items.length === limit ? items.at(-1)!.id : (last?.id ?? null) }
}

/** A delivery of any gateway, in any state. @returns null when there is none */
export async function findDelivery({ database }: Store, id: bigint): Promise<FailedDelivery | null> {
  const rows = await database.read<FailedDelivery>(sql`
      select ${FAILED_DELIVERY_COLUMNS} from deliveries d join webhooks w on w.id = d.webhook_id where d.id = ${id}`)
  return rows[0] ?? null
}

/** Ids of failed deliveries that can be delivered again, oldest first. Relies on deliveries_webhook_state for each active webhook. */
export async function findRedeliverable({ database }: Store, limit: number): Promise<bigint[]> {
  const rows = await database.read<{ id: bigint }>(sql`
      select d.id from webhooks w
       cross join lateral (
         select d.id from deliveries d where d.webhook_id = w.id and d.state = 'failed' order by d.id limit ${limit}) d
       where ${IS_ACTIVE} order by d.id limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** How many rows of a state a page of ops counts. */
const MOST_COUNTED = 10_000

export interface CountedDeliveries {
  state: string
  count: number
  /** false: at least this many */
  isComplete: boolean
}

/**
 * How many deliveries are in each state that matters to ops; at most 10,000 of each. Cancelled deliveries whose rows
 * are not written yet are left out. Relies on deliveries_due and deliveries_failed.
 */
export async function countDeliveries({ database }: Store): Promise<CountedDeliveries[]> {
  const most = inline(MOST_COUNTED)
  const rows = await database.read<CountedDeliveries & { scanned: number }>(sql`
    select d.state, count(*) filter (where ${IS_LIVE} or d.state = 'failed')::int as count,
           (select count(*) from (select from deliveries d where ${IS_OPEN} limit ${most}) o) < ${most} as "isComplete"
      from (select d.* from deliveries d where ${IS_OPEN} limit ${most}) d
      join webhooks w on w.id = d.webhook_id
     group by d.state
     union all
    select 'failed', count(*)::int, count(*) < ${most}
      from (select from deliveries d where d.state = 'failed' limit ${most}) f`)
  return rows.filter(({ count }) => count > 0)
}
