import { sql, type Store } from '../../core/database/sql.js'
import { turnOff } from '../../core/tables/turn-off.js'
import { OMITTED, toColumns, toRecord, type WebhookChoices, type WebhookRecord } from './webhook-records.js'

/**
 * Changes what a webhook's owner chose; absent choices stay. Open deliveries follow the new URL, headers and order from
 * their next try on. Bodies that are written stay as they are, and so do deliveries of payments that the new filters
 * refuse. Only the webhook's own row changes, whatever waits for it.
 *
 * Deactivating cancels open deliveries (turn-off.ts). Activating begins a new activation: what was cancelled stays so,
 * also where its row is not written yet, and needs an explicit redelivery. Activating also clears the reason; a new URL
 * or activating clears the times of failures.
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
      ...((choices.active === true || choices.endpointUrl !== undefined) && {
        failingSince: null,
        lostAt: null,
      }),
    }
    const own = sql`w.id = ${id} and w.gateway = ${gateway} and w.deleted_at is null`
    if (choices.active === false)
      await tx.$queryRaw(turnOff(sql`${own} and w.active`, { why: 'webhook inactive' }))
    if (choices.active === true)
      await tx.webhook.updateMany({
        where: { ...where, active: false },
        data: { active: true, activation: { increment: 1 } },
      })
    const { count } = await tx.webhook.updateMany({ where, data })
    if (count === 0) return null
    const webhook = await tx.webhook.findFirst({ where, omit: OMITTED })
    return webhook === null ? null : toRecord(webhook)
  })
