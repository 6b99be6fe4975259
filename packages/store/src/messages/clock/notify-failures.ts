// A gateway learns on another of its webhooks that a webhook fails or was deactivated.
import type { DeliveryRef } from '@payment-tracking/contracts'
import {
  isEndpointFailure,
  PEOPLE_FORMATS,
  renderWebhookNotice,
  type NoticeType,
} from '@payment-tracking/domain'
import { bigints, raw, sql, type Store, type Tx } from '../../core/database/sql.js'
import { logMessages } from '../../core/tables/messages.js'
import { isNotQuarantined, isolate } from '../../core/quarantine/isolate.js'
import { IS_ACTIVE, IS_OPEN } from '../../core/tables/delivery-rows.js'
import { insertMessages } from '../routing/insert-messages.js'

/** A webhook that its gateway is notified of. */
export interface TroubledWebhook {
  id: bigint
  gateway: string
  endpointUrl: string
  failingSince: Date | null
  deactivatedReason: string | null
  deactivatedAt: Date | null
}

export const TROUBLED_COLUMNS = sql`
  w.id, w.gateway, w.endpoint_url as "endpointUrl", w.failing_since as "failingSince",
  w.deactivated_reason as "deactivatedReason", w.deactivated_at as "deactivatedAt"`

/**
 * Writes one delivery for each other active webhook of the gateway that named the type, or that people read and that named
 * none; and one message of the feed.
 */
export async function insertNotices(
  tx: Tx,
  type: NoticeType,
  troubled: readonly TroubledWebhook[],
): Promise<DeliveryRef[]> {
  if (troubled.length === 0) return []
  const gateways = [...new Set(troubled.map(({ gateway }) => gateway))]
  const listeners = await tx.$queryRaw<{ id: bigint; gateway: string; activation: number }[]>`
    select w.id, w.gateway, w.activation from webhooks w
     where w.gateway = any(${gateways}::text[]) and ${IS_ACTIVE}
       and (${type} = any(w.event_types)
            or coalesce(cardinality(w.event_types), 0) = 0 and w.format = any(${[...PEOPLE_FORMATS]}::text[]))`
  const messages = troubled.map(
    ({ id: webhookId, gateway, endpointUrl, failingSince, deactivatedReason: reason, deactivatedAt }) => {
      const at = deactivatedAt ?? failingSince!
      const notice = { type, webhookId, gateway, endpointUrl, at, failingSince, reason }
      return { ...renderWebhookNotice(notice), gateway, eventId: null }
    },
  )
  await logMessages(tx, messages)
  const addresses = troubled.flatMap(({ id, gateway }, index) =>
    listeners
      .filter(listener => listener.gateway === gateway && listener.id !== id)
      .map(({ id: webhookId, activation }) => ({
        webhookId,
        message: index + 1,
        activation,
        orderKey: null,
      })),
  )
  return insertMessages(tx, addresses, messages)
}

/** Webhooks of one call. */
const PAGE = 500

/** The domain's rule for Postgres: statuses that say nothing of the endpoint. */
const NO_FAILURE = [...Array(500).keys()].filter(status => !isEndpointFailure(status))

/**
 * Nothing was accepted for five minutes, and five or more requests of deliveries that are still open failed: the webhook fails,
 * although what holds its deliveries back (an open breaker, a `Retry-After`, their turn) leaves each of them tries. What refuses a
 * message alone does not count. Reads the oldest 1,000 open deliveries, by deliveries_open_webhook, and the newest attempt of each.
 */
const FAILS_WHILE_HELD_BACK = sql`(
  w.failing_since < clock_timestamp() - make_interval(mins => ${raw('5')})
  and (select sum(d.attempts_made)
         from (select d.id, d.attempts_made from deliveries d
                where d.webhook_id = w.id and d.activation = w.activation and ${IS_OPEN}
                order by d.id limit ${raw('1000')}) d
        cross join lateral (select a.status_code from delivery_attempts a
                             where d.attempts_made > 0 and a.delivery_id = d.id and a.outcome = 'refused'
                             order by a.number desc limit 1) a
        where a.status_code is null or a.status_code <> all(${NO_FAILURE}::int[])) >= ${raw('5')})`

/**
 * Notifies gateways of webhooks of which a delivery failed with all its tries, or that fail while deliveries are held back, and no
 * attempt succeeded since. Each webhook is notified of once until its next success. Any number of processes may call it at once: a row is stamped in the
 * transaction that notifies of it.
 * One page of at most 500 webhooks, by webhooks_failing. SQL: locks.
 */
export async function notifyFailures(store: Store): Promise<DeliveryRef[]> {
  const mustNotify = sql`
    ${IS_ACTIVE} and w.failing_since is not null and (w.lost_at is not null or ${FAILS_WHILE_HELD_BACK})
      and (w.failure_notified_at is null or w.failure_notified_at < w.failing_since)`
  const rows = await store.database.read<{ id: bigint }>(sql`
    select w.id from webhooks w
     where ${mustNotify} and ${isNotQuarantined('failing-webhooks', sql`w.id::text`)} limit ${PAGE}`)
  const ids = rows.map(({ id }) => id)
  const notified = await isolate(store, 'failing-webhooks', ids, some =>
    store.database.transaction(async tx => {
      const failing = await tx.$queryRaw<TroubledWebhook[]>`
        update webhooks w set failure_notified_at = clock_timestamp()
         where w.id = any(${bigints(some)}) and ${mustNotify}
        returning ${TROUBLED_COLUMNS}`
      return insertNotices(tx, 'webhook.failing', failing)
    }),
  )
  return notified.flat()
}
