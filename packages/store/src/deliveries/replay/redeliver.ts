import type { DeliveryRef } from '@payment-tracking/contracts'
import type { DeliveryMessage, DeliveryState } from '@payment-tracking/domain'
import { ServiceError } from '@payment-tracking/runtime'
import { sql, type Store } from '../../core/database/sql.js'
import { deliveryRef } from '../../core/tables/delivery-rows.js'
import { COUNT_REDELIVERIES, openCycle, TODAY } from '../open-cycle.js'

// Redelivering a span again and again costs requests, rows and disk. So a gateway may redeliver so many deliveries a day (UTC).

/** Deliveries that a gateway may redeliver in a day. */
const REDELIVERIES_PER_DAY = 100_000

/** The gateway has redelivered as many deliveries as it may today. */
export class RedeliveryQuotaError extends ServiceError {
  readonly code = 'REDELIVERY_QUOTA'
  readonly retry = 'later'

  constructor(readonly goesOnInSeconds: number) {
    const at = new Date(Date.now() + goesOnInSeconds * 1_000).toISOString().slice(0, 10)
    super(`A gateway may redeliver ${REDELIVERIES_PER_DAY} deliveries a day. It goes on at ${at}T00:00:00Z.`)
  }
}

interface RedeliveryQuota {
  remaining: number
  /** until the next day */
  goesOnInSeconds: number
}

/** What is left of a gateway's quota of today. Several pages that begin at once can exceed it by their rows. */
export async function readRedeliveryQuota({ database }: Store, gateway: string): Promise<RedeliveryQuota> {
  const [quota] = await database.write<RedeliveryQuota>(sql`
    select greatest(0, ${REDELIVERIES_PER_DAY}::bigint - coalesce((
             select redelivered from redelivery_counts where gateway = ${gateway} and day = ${TODAY}), 0))::int as remaining,
           ceil(extract(epoch from (${TODAY} + 1)::timestamp - clock_timestamp() at time zone 'UTC'))::int
             as "goesOnInSeconds"`)
  return quota!
}

/** @throws RedeliveryQuotaError when nothing is left of today's quota */
export async function requireRedeliveryQuota(store: Store, gateway: string): Promise<void> {
  const { remaining, goesOnInSeconds } = await readRedeliveryQuota(store, gateway)
  if (remaining === 0) throw new RedeliveryQuotaError(goesOnInSeconds)
}

/** Counts deliveries that a replay has made for a gateway. */
export async function countRedeliveries({ database }: Store, gateway: string, count: number): Promise<void> {
  if (count > 0)
    await database.execute(sql`
      with opened as (select ${gateway}::text as gateway from generate_series(1, ${count}::int)) ${COUNT_REDELIVERIES}`)
}

/** Redelivers one delivery of an active webhook. @returns nothing while a worker is sending the delivery */
export const redeliverOne = (store: Store, webhookId: bigint, id: bigint): Promise<DeliveryRef[]> =>
  openCycle(store, { ids: [id], webhookId, isCounted: true })

/** Redelivers failed or cancelled deliveries of any gateway by id, for ops. Skips deliveries of inactive webhooks. */
export const redeliverByIds = (store: Store, ids: readonly bigint[]): Promise<DeliveryRef[]> =>
  openCycle(store, { ids, states: ['failed', 'cancelled'] })

export class RedeliveryUnderWayError extends ServiceError {
  readonly code = 'REDELIVERY_UNDER_WAY'
  readonly retry = 'later'

  constructor() {
    super('A redelivery of this webhook is under way; ask again when it has ended.')
  }
}

/**
 * Writes down that a webhook's deliveries in the given states are redelivered, oldest first: `doWebhookWork` does it.
 * SQL: the database's clock.
 * @param span by creation; `until` is inclusive, and null means now
 * @throws RedeliveryUnderWayError
 */
export async function beginRedelivery(
  { database }: Store,
  webhookId: bigint,
  span: { since: Date; until: Date | null; states: readonly DeliveryState[] },
): Promise<void> {
  const begun = await database.execute(sql`
    insert into work (kind, key, gateway, state)
    select 'redeliver', w.id::text, w.gateway, jsonb_build_object(
             'madeSince', ${span.since}::timestamptz, 'states', to_jsonb(${[...span.states]}::text[]),
             'madeUntil', least(${span.until}::timestamptz, clock_timestamp())::timestamptz(3))
      from webhooks w where w.id = ${webhookId}
    on conflict do nothing`)
  if (begun === 0) throw new RedeliveryUnderWayError()
}

/** Writes a message that no feed shows, and its delivery: a test. SQL: two tables change together. */
export async function insertMessage(
  { database }: Store,
  webhookId: bigint,
  message: DeliveryMessage,
): Promise<DeliveryRef> {
  const [row] = await database.write<DeliveryRef>(sql`
      with m as (
        insert into messages (gateway, type, message_id, body)
        select gateway, ${message.type}, ${message.id}, ${message.body} from webhooks where id = ${webhookId}
        returning id, type, message_id, body
      ), d as (
        insert into deliveries (webhook_id, activation, message_id, type, message)
        select w.id, w.activation, m.message_id, m.type, m.id from m join webhooks w on w.id = ${webhookId}
        returning *
      )
      select ${deliveryRef(sql`m.body`)} from d cross join m`)
  return row!
}
