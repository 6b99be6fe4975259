// A gateway learns on another of its webhooks that a webhook fails or was deactivated.
import type { DeliveryRef } from '@payment-tracking/contracts'
import { renderWebhookNotice, type NoticeType } from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import type { Tx } from '../database/sql.js'
import { insertMessages } from './insert-messages.js'

/** A webhook that its gateway is told of. */
export interface TroubledWebhook {
  id: bigint
  gateway: string
  endpointUrl: string
  failingSince: Date | null
  deactivatedReason: string | null
  deactivatedAt: Date | null
}

/** Writes one delivery for each other active webhook of the gateway that named the type. */
export async function insertNotices(
  tx: Tx,
  type: NoticeType,
  troubled: readonly TroubledWebhook[],
): Promise<DeliveryRef[]> {
  if (troubled.length === 0) return []
  const gateways = [...new Set(troubled.map(({ gateway }) => gateway))]
  const listeners = await tx.$queryRaw<{ id: bigint; gateway: string; ordered: boolean }[]>`
    select id, gateway, ordered from webhooks
     where gateway = any(${gateways}::text[]) and active and deleted_at is null and ${type} = any(event_types)`
  const messages = troubled.map(webhook => ({
    ...renderWebhookNotice({
      ...{ type, webhookId: webhook.id, gateway: webhook.gateway, endpointUrl: webhook.endpointUrl },
      at: webhook.deactivatedAt ?? webhook.failingSince!,
      ...{ failingSince: webhook.failingSince, reason: webhook.deactivatedReason },
    }),
    eventId: null,
  }))
  const addresses = troubled.flatMap(({ id, gateway }, index) =>
    listeners
      .filter(listener => listener.gateway === gateway && listener.id !== id)
      .map(listener => ({ webhookId: listener.id, message: index + 1, ordered: listener.ordered })),
  )
  return insertMessages(tx, addresses, messages)
}

/**
 * Tells gateways of webhooks of which a delivery failed with all its tries, and no attempt succeeded since. Each webhook
 * is told of once until its next success. Any number of processes may call it at once: a row is stamped in the
 * transaction that tells of it.
 */
export const tellFailingWebhooks = ({ database }: Store): Promise<DeliveryRef[]> =>
  database.transaction(async tx => {
    const failing = await tx.$queryRaw<TroubledWebhook[]>`
      update webhooks w set failure_told_at = clock_timestamp()
       where w.active and w.deleted_at is null and w.failing_since is not null
         and (w.failure_told_at is null or w.failure_told_at < w.failing_since)
         and exists (select from deliveries d
                      where d.webhook_id = w.id and d.state = 'failed' and d.finished_at >= w.failing_since)
      returning w.id, w.gateway, w.endpoint_url as "endpointUrl", w.failing_since as "failingSince",
                null::text as "deactivatedReason", null::timestamptz as "deactivatedAt"`
    return insertNotices(tx, 'webhook.failing', failing)
  })
