import type { Store } from '../store.js'
import { translated } from '../translated.js'
import { newSecret } from './webhook-records.js'

export interface WebhookSecrets {
  secret: string
  /** the secret before the last rotation signs beside this one until then */
  previousSecretExpiresAt: Date | null
}

/** How long the old secret signs beside the new one. */
const OVERLAP_HOURS = 24

/** @returns null when the gateway has no such webhook */
export const getWebhookSecret = (store: Store, gateway: string, id: bigint): Promise<WebhookSecrets | null> =>
  translated(async () => {
    const row = await store.prisma.webhook.findFirst({
      where: { id, gateway, deletedAt: null },
      select: { secret: true, previousSecretExpiresAt: true },
    })
    return row && { ...row, previousSecretExpiresAt: future(row.previousSecretExpiresAt) }
  })

/** Gives a webhook a new secret; the one it had signs beside it for 24 h. An older one ends now. */
export const rotateWebhookSecret = (
  store: Store,
  gateway: string,
  id: bigint,
): Promise<WebhookSecrets | null> =>
  translated(async () => {
    const rows = await store.prisma.$queryRaw<WebhookSecrets[]>`
      update webhooks
         set previous_secret = secret, secret = ${newSecret()},
             previous_secret_expires_at = clock_timestamp() + make_interval(hours => ${OVERLAP_HOURS}::integer)
       where id = ${id} and gateway = ${gateway} and deleted_at is null
      returning secret, previous_secret_expires_at as "previousSecretExpiresAt"`
    return rows[0] ?? null
  })

const future = (date: Date | null): Date | null =>
  date !== null && date.getTime() > Date.now() ? date : null
