import type { Store } from '../database/open-store.js'
import { IS_OPEN } from './conditions.js'
import { cancelOpenDeliveries } from './deactivate-webhooks.js'
import { SELECTED, toColumns, toRecord, type WebhookChoices, type WebhookRecord } from './webhook-records.js'

/**
 * Changes what a webhook's owner chose; absent choices stay. Open deliveries follow the new URL, headers and order from
 * their next try on. Bodies that are written stay as they are, and so do deliveries of payments that the new filters
 * refuse.
 *
 * Deactivating cancels open deliveries. Activating clears the reason, and a new URL or activating clears the failure
 * time. Nothing is resumed: cancelled deliveries need an explicit redelivery.
 * @returns null when the gateway has no such webhook
 */
export const updateWebhook = (
  { database }: Store,
  gateway: string,
  id: bigint,
  choices: Partial<WebhookChoices>,
): Promise<WebhookRecord | null> =>
  database.transaction(async tx => {
    const where = { id, gateway, deletedAt: null }
    const data = {
      ...toColumns(choices),
      ...(choices.active === true && { deactivatedReason: null, deactivatedAt: null }),
      ...((choices.active === true || choices.endpointUrl !== undefined) && { failingSince: null }),
    }
    const { count } = await tx.webhook.updateMany({ where, data })
    if (count === 0) return null
    if (choices.active === false) await cancelOpenDeliveries(tx, [id], 'webhook inactive')
    if (choices.ordered !== undefined)
      await tx.$executeRaw`
        update deliveries d set ordered = ${choices.ordered}
         where d.webhook_id = ${id} and ${IS_OPEN} and d.ordered <> ${choices.ordered}`
    const webhook = await tx.webhook.findFirst({ where, select: SELECTED })
    return webhook === null ? null : toRecord(webhook)
  })
