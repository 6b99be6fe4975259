import type { RoutedWebhook } from '@payment-tracking/domain'
import { sql, type Tx } from '../../core/database/sql.js'
import { IS_ACTIVE } from '../../core/tables/delivery-rows.js'

/** A webhook with everything that routes and renders its messages. */
export interface NotifiedWebhook extends RoutedWebhook {
  id: bigint
  gateway: string
  format: string
  activation: number
  orderedBy: string
}

/** The columns of `NotifiedWebhook`, of webhooks `w`. */
export const NOTIFIED_WEBHOOK = sql`
  w.id, w.gateway, w.event_types as "eventTypes", w.finality, w.format, w.filters, w.activation,
  w.ordered_by as "orderedBy",
  ${IS_ACTIVE} as active`

/** By gateway, also those that are off. A gateway that is missing was not asked for. */
export type WebhooksByGateway = ReadonlyMap<string, readonly NotifiedWebhook[]>

/** The webhooks of some gateways. Relies on webhooks_gateway_idx. */
export async function readWebhooksOf(tx: Tx, gateways: readonly string[]): Promise<WebhooksByGateway> {
  if (gateways.length === 0) return new Map()
  const webhooksOf = new Map(gateways.map(gateway => [gateway, [] as NotifiedWebhook[]]))
  const webhooks = await tx.$queryRaw<NotifiedWebhook[]>`
    select ${NOTIFIED_WEBHOOK} from webhooks w where w.gateway = any(${[...gateways]}::text[]) and w.deleted_at is null
     order by w.id`
  for (const webhook of webhooks) webhooksOf.get(webhook.gateway)!.push(webhook)
  return webhooksOf
}
