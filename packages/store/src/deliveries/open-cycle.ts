import type { DeliveryRef } from '@payment-tracking/contracts'
import { DELIVERY_TRIES } from '@payment-tracking/contracts'
import type { DeliveryState } from '@payment-tracking/domain'
import { bigints, empty, sql, type Sql, type Store } from '../core/database/sql.js'
import {
  DELIVERY_REF,
  DELIVERY_STATE,
  IS_ACTIVE,
  IS_LIVE,
  IS_OPEN,
  IS_UNCLAIMED,
} from '../core/tables/delivery-rows.js'

/** A delivery with this many attempts is not sent again: its attempts stay bounded, and their number below 2¹⁵. */
const MOST_ATTEMPTS = 1_000

export const TODAY = sql`(clock_timestamp() at time zone 'UTC')::date`

/** Counts the rows of a table `opened` that has their gateways. SQL: adds to what is stored. */
export const COUNT_REDELIVERIES: Sql = sql`
  insert into redelivery_counts (gateway, day, redelivered)
  select gateway, ${TODAY}, count(*) from opened group by gateway order by gateway
  on conflict (gateway) do update
    set redelivered = excluded.redelivered
                      + case when redelivery_counts.day = excluded.day then redelivery_counts.redelivered else 0 end,
        day = excluded.day`

/**
 * Makes deliveries due now, with their body and message id. A delivery that has ended gets a new cycle: as many tries as a
 * new delivery has, in the present activation of its webhook. An open delivery keeps its cycle. A delivery that a worker is
 * sending, or whose webhook is inactive, stays as it is. SQL: locks, and the database's clock.
 * @param of.isCounted whether the gateway asks for it: it counts for its quota of the day
 * @param of.states only deliveries that everybody reads in one of these states; left out: in any
 * @param of.webhookId only deliveries of this webhook
 * @param of.activation only while the webhook is in this activation, that is, was not turned off since
 * @param of.openedBefore only deliveries whose round began before this time
 */
export function openCycle(
  { database }: Store,
  of: {
    ids: readonly bigint[]
    isCounted?: boolean
    states?: readonly DeliveryState[]
    webhookId?: bigint
    activation?: number
    openedBefore?: Date
  },
): Promise<DeliveryRef[]> {
  const isLive = sql`(${IS_OPEN} and ${IS_LIVE})`
  const counted = sql`, counted as (${COUNT_REDELIVERIES})`
  return database.write<DeliveryRef>(sql`
    with opened as (
      update deliveries d
         set tries_allowed = case when ${isLive} then d.tries_allowed
                                  else d.attempts_made + ${DELIVERY_TRIES}::smallint end,
             opened_at = case when ${isLive} then d.opened_at else clock_timestamp() end,
             activation = w.activation,
             state = 'pending', due_at = clock_timestamp(), finished_at = null, deferred_since = null,
             defer_reason = null, swept_at = null, claimed_until = null
        from webhooks w
       where w.id = d.webhook_id and ${IS_ACTIVE} and ${IS_UNCLAIMED} and d.attempts_made < ${MOST_ATTEMPTS}
         and d.id = any(${bigints(of.ids)})
         ${of.states === undefined ? empty : sql`and ${DELIVERY_STATE} = any(${[...of.states]}::text[])`}
         ${of.webhookId === undefined ? empty : sql`and w.id = ${of.webhookId}`}
         ${of.activation === undefined ? empty : sql`and w.activation = ${of.activation}`}
         ${of.openedBefore === undefined ? empty : sql`and d.opened_at < ${of.openedBefore}`}
      returning ${DELIVERY_REF}
    )${of.isCounted === true ? counted : empty}
    select * from opened`)
}
