// What a gateway has chosen for all its webhooks.
import type { WebhookFormat } from '@payment-tracking/domain'
import { sql, type Store } from '../../core/database/sql.js'

export interface GatewaySettings {
  /** the format of webhooks that are registered without one; null until the gateway chooses */
  webhookFormat: WebhookFormat | null
  /** whether webhooks that are registered without a choice recover; null until the gateway chooses */
  webhookRecover: boolean | null
}

const select = { webhookFormat: true, webhookRecover: true } as const

export const readGatewaySettings = ({ database }: Store, gateway: string): Promise<GatewaySettings> =>
  database.withModels(async client => {
    const chosen = await client.gatewaySettings.findUnique({ where: { gateway }, select })
    return (chosen ?? { webhookFormat: null, webhookRecover: null }) as GatewaySettings
  })

/** @param settings those that are left out stay. @returns all of them as they are now */
export const writeGatewaySettings = (
  { database }: Store,
  gateway: string,
  settings: Partial<GatewaySettings>,
): Promise<GatewaySettings> =>
  database.withModels(async client => {
    const create = { gateway, ...settings }
    const written = await client.gatewaySettings.upsert({
      where: { gateway },
      create,
      update: settings,
      select,
    })
    return written as GatewaySettings
  })

/**
 * From now on the feed of a gateway tells dates too: those that hold already, and those that come. Writes once for each gateway.
 */
export async function askFeedForDates({ database }: Store, gateway: string): Promise<void> {
  const asks = await database.lookUp(sql`
    select from gateway_settings where gateway = ${gateway} and feed_dates`)
  if (asks.length > 0) return
  await database.withModels(client =>
    client.gatewaySettings.upsert({
      where: { gateway },
      create: { gateway, feedDates: true },
      update: { feedDates: true },
    }),
  )
}
