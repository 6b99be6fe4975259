// What a gateway has chosen for all its webhooks.
import type { WebhookFormat } from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'

export interface GatewaySettings {
  /** the format of webhooks that are registered without one; null until the gateway chooses */
  webhookFormat: WebhookFormat | null
}

export const readGatewaySettings = ({ database }: Store, gateway: string): Promise<GatewaySettings> =>
  database.withModels(async client => {
    const row = await client.gatewaySettings.findUnique({ where: { gateway } })
    return { webhookFormat: (row?.webhookFormat ?? null) as WebhookFormat | null }
  })

export const writeGatewaySettings = (
  { database }: Store,
  gateway: string,
  settings: GatewaySettings,
): Promise<void> =>
  database.withModels(async client => {
    await client.gatewaySettings.upsert({
      where: { gateway },
      create: { gateway, ...settings },
      update: { ...settings },
    })
  })

/**
 * The format of a webhook that is registered without one: the gateway's choice, else the format of its newest webhook.
 * @returns null for the first webhook of a gateway that has not chosen
 */
export async function usualFormat(store: Store, gateway: string): Promise<WebhookFormat | null> {
  const { webhookFormat } = await readGatewaySettings(store, gateway)
  if (webhookFormat !== null) return webhookFormat
  return store.database.withModels(async client => {
    const newest = await client.webhook.findFirst({
      where: { gateway, deletedAt: null },
      orderBy: { id: 'desc' },
      select: { format: true },
    })
    return (newest?.format ?? null) as WebhookFormat | null
  })
}
