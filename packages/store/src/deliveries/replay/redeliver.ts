import type { DeliveryRef } from '@payment-tracking/contracts'
import type { DeliveryMessage, DeliveryState } from '@payment-tracking/domain'
import { ServiceError } from '@payment-tracking/runtime'
import type { Store } from '../../core/database/open-store.js'
import { sql } from '../../core/database/sql.js'
import { openRound } from '../open-round.js'

/** Redelivers one delivery of an active webhook. @returns nothing while a worker is sending the delivery */
export const redeliverOne = (store: Store, webhookId: bigint, id: bigint): Promise<DeliveryRef[]> =>
  openRound(store, { ids: [id], webhookId, isCounted: true })

/** Redelivers failed or cancelled deliveries of any gateway by id, for ops. Skips deliveries of inactive webhooks. */
export const redeliverByIds = (store: Store, ids: readonly bigint[]): Promise<DeliveryRef[]> =>
  openRound(store, { ids, states: ['failed', 'cancelled'] })

export class RedeliveryUnderWayError extends ServiceError {
  readonly code = 'REDELIVERY_UNDER_WAY'
  readonly retry = 'later'

  constructor() {
    super('A redelivery of this webhook is under way; ask again when it has ended.')
  }
}

/**
 * Writes down that a webhook's deliveries in the given states are redelivered, oldest first: `doWebhookWork` does it.
 * @param span by creation; `until` is inclusive, and null means now
 * @throws RedeliveryUnderWayError
 */
export async function beginRedelivery(
  { database }: Store,
  webhookId: bigint,
  span: { since: Date; until: Date | null; states: readonly DeliveryState[] },
): Promise<void> {
  const begun = await database.execute(sql`
    insert into work (kind, key, state)
    values ('redeliver', ${webhookId.toString()}, jsonb_build_object(
      'madeSince', ${span.since}::timestamptz, 'states', to_jsonb(${[...span.states]}::text[]),
      'madeUntil', least(${span.until}::timestamptz, clock_timestamp())::timestamptz(3)))
    on conflict do nothing`)
  if (begun === 0) throw new RedeliveryUnderWayError()
}

/** Writes a delivery without an event: a test. */
export async function insertMessage(
  { database }: Store,
  webhookId: bigint,
  message: DeliveryMessage,
): Promise<DeliveryRef> {
  const [row] = await database.write<DeliveryRef>(sql`
      insert into deliveries (webhook_id, activation, message_id, type, body)
      select id, activation, ${message.id}, ${message.type}, ${message.body} from webhooks where id = ${webhookId}
      returning id, webhook_id as "webhookId"`)
  return row!
}
