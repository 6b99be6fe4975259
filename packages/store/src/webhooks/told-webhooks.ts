import type { RoutedWebhook } from '@payment-tracking/domain'
import { sql, type Tx } from '../database/sql.js'
import { IS_ACTIVE } from './conditions.js'

/** A webhook with everything that routes and renders its messages. */
export interface ToldWebhook extends RoutedWebhook {
  id: bigint
  gateway: string
  format: string
  ordered: boolean
}

/** The columns of `ToldWebhook`, of webhooks `w`. */
export const TOLD_WEBHOOK = sql`
  w.id, w.gateway, w.event_types as "eventTypes", w.finality, w.format, w.filters, w.ordered,
  ${IS_ACTIVE} as active`

/** The webhooks of some gateways, also those that are off. Relies on webhooks_gateway_idx. @returns by gateway */
export async function readWebhooksOf(
  tx: Tx,
  gateways: readonly string[],
): Promise<Map<string, ToldWebhook[]>> {
  const webhooksOf = new Map<string, ToldWebhook[]>()
  if (gateways.length === 0) return webhooksOf
  const webhooks = await tx.$queryRaw<ToldWebhook[]>`
    select ${TOLD_WEBHOOK} from webhooks w where w.gateway = any(${[...gateways]}::text[]) and w.deleted_at is null
     order by w.id`
  for (const webhook of webhooks) {
    const others = webhooksOf.get(webhook.gateway)
    if (others) others.push(webhook)
    else webhooksOf.set(webhook.gateway, [webhook])
  }
  return webhooksOf
}
