import type { DeliveryRef } from '@payment-tracking/contracts'
import type { DeliveryMessage, DeliveryState } from '@payment-tracking/domain'
import { ServiceError } from '@payment-tracking/runtime'
import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { isNotSetAside, isolate } from '../set-aside/isolate.js'
import { IS_ACTIVE } from '../rows/deliveries.js'
import { openRound } from './open-round.js'

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

export interface Recovery {
  /** deliveries that failed longer ago stay failed */
  hours: number
  /** a delivery that failed after n attempts rests for n times this long */
  restMs: number
  /** deliveries of one call */
  limit: number
}

/** Six rounds in all: an endpoint can answer and yet refuse one message for ever. */
const RECOVERED_BELOW_ATTEMPTS = 24

/**
 * Opens a new round for failed deliveries of webhooks with `recover` whose endpoint answers again: `failing_since` is
 * null after any success. Several workers may call it at once.
 * One page of `limit` rows, by webhooks_recover and deliveries_failed_webhook; at most `limit` webhooks are asked, each
 * for its oldest failures. Without that order, Postgres read the failures of all webhooks for each.
 */
export async function recoverFailed(
  store: Store,
  { hours, restMs, limit }: Recovery,
): Promise<DeliveryRef[]> {
  const rows = await store.database.read<{ id: bigint }>(sql`
    select f.id
      from (select w.id from webhooks w
             where w.recover and ${IS_ACTIVE} and w.failing_since is null
             order by random() limit ${limit}) w
     cross join lateral (
        select d.id from deliveries d
         where d.webhook_id = w.id and d.state = 'failed'
           and d.finished_at > statement_timestamp() - make_interval(hours => ${hours}::integer)
           and d.finished_at < clock_timestamp() - make_interval(secs => d.attempts_made * ${restMs}::float8 / 1000)
           and d.attempts_made < ${RECOVERED_BELOW_ATTEMPTS} and d.last_error is distinct from 'address refused'
           and ${isNotSetAside('recover-deliveries', sql`d.id::text`)}
         order by d.finished_at limit ${limit}) f
     order by f.id limit ${limit}`)
  const ids = rows.map(({ id }) => id)
  const opened = await isolate(store, 'recover-deliveries', ids, some =>
    openRound(store, { ids: some, states: ['failed'] }),
  )
  return opened.flat()
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
