import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { newSecret } from './webhook-records.js'

export interface WebhookSecrets {
  secret: string
  /** until this time, the previous secret signs beside this secret */
  previousSecretExpiresAt: Date | null
}

/** @returns null when the gateway has no such webhook */
export const getWebhookSecret = async (
  { database }: Store,
  gateway: string,
  id: bigint,
): Promise<WebhookSecrets | null> => {
  const row = await database.withModels(client =>
    client.webhook.findFirst({
      where: { id, gateway, deletedAt: null },
      select: { secret: true, previousSecretExpiresAt: true },
    }),
  )
  return row && { ...row, previousSecretExpiresAt: future(row.previousSecretExpiresAt) }
}

/**
 * Gives a webhook a new secret. The previous secret still signs for `graceSeconds`; an older secret ends now.
 * @param graceSeconds 0: the previous secret signs no further try
 */
export const rotateWebhookSecret = async (
  { database }: Store,
  gateway: string,
  id: bigint,
  graceSeconds: number,
): Promise<WebhookSecrets | null> => {
  const [row] = await database.write<WebhookSecrets>(sql`
      update webhooks
         set previous_secret = case when ${graceSeconds}::float8 > 0 then secret end, secret = ${newSecret()},
             previous_secret_expires_at = case when ${graceSeconds}::float8 > 0
               then clock_timestamp() + make_interval(secs => ${graceSeconds}::float8) end
       where id = ${id} and gateway = ${gateway} and deleted_at is null
      returning secret, previous_secret_expires_at as "previousSecretExpiresAt"`)
  return row ?? null
}

const future = (date: Date | null): Date | null =>
  date !== null && date.getTime() > Date.now() ? date : null
