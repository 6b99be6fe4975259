import type { DeliveryRef } from '@payment-tracking/contracts'
import { DELIVERY_TRIES } from '@payment-tracking/contracts'
import type { DeliveryMessage, DeliveryState } from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import { sql, type Sql } from '../database/sql.js'
import { IS_OPEN, IS_UNCLAIMED, IS_ACTIVE } from './conditions.js'

/** The most deliveries in one call of a bulk redelivery. */
export const REDELIVERIES_AT_ONCE = 10_000

/** A delivery with this many attempts is not sent again: its attempts stay bounded, and their number below 2¹⁵. */
const MOST_ATTEMPTS = 1_000

/**
 * Opens a new round of tries: due now, with as many tries as a new delivery. Body and message id stay. Open rows become
 * due now and keep their round. Rows that a worker is sending stay unchanged.
 */
async function openRound({ database }: Store, condition: Sql): Promise<DeliveryRef[]> {
  return database.write<DeliveryRef>(sql`
      update deliveries d
         set tries_allowed = case when ${IS_OPEN} then d.tries_allowed
                                  else d.attempts_made + ${DELIVERY_TRIES}::smallint end,
             opened_at = case when ${IS_OPEN} then d.opened_at else clock_timestamp() end,
             state = 'pending', due_at = clock_timestamp(), finished_at = null, held_since = null,
             held_reason = null, swept_at = null, claimed_until = null
       where ${IS_UNCLAIMED}
         and d.attempts_made < ${MOST_ATTEMPTS} and ${condition}
      returning d.id, d.webhook_id as "webhookId"`)
}

/** Redelivers one delivery of an active webhook. @returns nothing while a worker is sending the delivery */
export const redeliverOne = (store: Store, webhookId: bigint, id: bigint): Promise<DeliveryRef[]> =>
  openRound(store, sql`d.id = ${id} and d.webhook_id = ${webhookId}`)

/**
 * Redelivers deliveries in the given states, oldest first, up to REDELIVERIES_AT_ONCE.
 * @param range by creation; `until` is inclusive
 */
export const redeliverMany = (
  store: Store,
  webhookId: bigint,
  range: { since: Date; until: Date | null; states: readonly DeliveryState[] },
): Promise<DeliveryRef[]> =>
  openRound(
    store,
    sql`d.id in (
      select id from deliveries
       where webhook_id = ${webhookId} and state = any(${[...range.states]}::text[])
         and created_at >= ${range.since} and (${range.until}::timestamptz is null or created_at <= ${range.until})
       order by id limit ${REDELIVERIES_AT_ONCE})`,
  )

/** Redelivers failed or cancelled deliveries of any gateway by id, for ops. Skips deliveries of inactive webhooks. */
export const redeliverByIds = (store: Store, ids: readonly bigint[]): Promise<DeliveryRef[]> =>
  openRound(
    store,
    sql`d.id = any(${ids.map(String)}::bigint[]) and d.state in ('failed', 'cancelled')
      and exists (select from webhooks w where w.id = d.webhook_id and ${IS_ACTIVE})`,
  )

export interface Recovery {
  /** deliveries that failed longer ago stay failed */
  hours: number
  /** a delivery that failed after n attempts rests for n times this long */
  restMs: number
  limit: number
}

/** Six rounds in all: an endpoint can answer and yet refuse one message for ever. */
const RECOVERED_BELOW_ATTEMPTS = 24

/**
 * Opens a new round for failed deliveries of webhooks with `recover` whose endpoint answers again: `failing_since` is
 * null after any success. Oldest first. Several workers may call it at once.
 * Relies on deliveries_failed_webhook.
 */
export const recoverFailed = (store: Store, { hours, restMs, limit }: Recovery): Promise<DeliveryRef[]> =>
  openRound(
    store,
    sql`d.state = 'failed' and d.id = any(array(
      select f.id from webhooks w cross join lateral (
        select id from deliveries
         where webhook_id = w.id and state = 'failed'
           and finished_at > clock_timestamp() - make_interval(hours => ${hours}::integer)
           and finished_at < clock_timestamp() - make_interval(secs => attempts_made * ${restMs}::float8 / 1000)
           and attempts_made < ${RECOVERED_BELOW_ATTEMPTS} and last_error is distinct from 'address refused'
         limit ${limit}) f
       where w.recover and ${IS_ACTIVE} and w.failing_since is null
       order by f.id limit ${limit}))`,
  )

/** Writes a delivery without an event: a test. */
export async function insertMessage(
  { database }: Store,
  webhookId: bigint,
  message: DeliveryMessage,
): Promise<DeliveryRef> {
  const [row] = await database.write<DeliveryRef>(sql`
      insert into deliveries (webhook_id, message_id, type, body)
      values (${webhookId}, ${message.id}, ${message.type}, ${message.body})
      returning id, webhook_id as "webhookId"`)
  return row!
}
