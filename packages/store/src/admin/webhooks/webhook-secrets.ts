import { EARLIER_SECRETS, secretsAt, signedBy } from '../../core/tables/webhooks.js'
import { ServiceError } from '@payment-tracking/runtime'
import { inline, sql, type Store } from '../../core/database/sql.js'
import { newSecret } from './webhook-records.js'

/** The most secrets that sign a message. */
const MOST_SECRETS = 5

export interface WebhookSecrets {
  secret: string
  /** until then an earlier secret signs beside this secret; null when none does */
  previousSecretExpiresAt: Date | null
}

/** Another rotation would end a secret before its time. */
class TooManySecretsError extends ServiceError {
  readonly code = 'TOO_MANY_SECRETS'
  readonly retry = 'later'
}

const SECRETS = sql`secret, (select max(e.until) from ${EARLIER_SECRETS}) as "previousSecretExpiresAt"`

/** @returns null when the gateway has no such webhook */
export async function getWebhookSecret(
  { database }: Store,
  gateway: string,
  id: bigint,
): Promise<WebhookSecrets | null> {
  const [row] = await database.read<WebhookSecrets>(sql`
    select ${SECRETS} from webhooks where id = ${id} and gateway = ${gateway} and deleted_at is null`)
  return row ?? null
}

/**
 * Gives a webhook a new secret. The present secret still signs for `graceSeconds`, and each earlier secret until its own time.
 * SQL: what is stored becomes a part of what is written.
 * @param graceSeconds 0: no secret but the new one signs any further try
 * @returns null when the gateway has no such webhook
 * @throws TooManySecretsError
 */
export async function rotateWebhookSecret(
  store: Store,
  gateway: string,
  id: bigint,
  graceSeconds: number,
): Promise<WebhookSecrets | null> {
  const [row] = await store.database.write<WebhookSecrets>(sql`
    update webhooks
       set secret = ${newSecret()},
           earlier_secrets = case when ${graceSeconds}::float8 = 0 then '[]' else
             jsonb_build_array(jsonb_build_object('secret', secret, 'until',
               (clock_timestamp() + make_interval(secs => ${graceSeconds}::float8))::timestamptz(3)))
             || (select coalesce(jsonb_agg(e), '[]') from ${EARLIER_SECRETS}) end
     where id = ${id} and gateway = ${gateway} and deleted_at is null
       and (${graceSeconds}::float8 = 0
            or (select count(*) from ${EARLIER_SECRETS}) < ${inline(MOST_SECRETS - 1)})
    returning ${SECRETS}`)
  if (row !== undefined) return row
  if ((await getWebhookSecret(store, gateway, id)) === null) return null
  throw new TooManySecretsError(
    `${MOST_SECRETS} secrets of the webhook sign already: wait until an earlier secret ends, or end all of them with graceSeconds 0.`,
  )
}

/** Their bodies name tokens by a setting of this moment, so what was signed is not known. */
const FOR_PEOPLE = ['slack', 'discord']

/**
 * The secrets that signed the attempts of a delivery, by the number of the attempt. An attempt is missing where they are not known any
 * more: the secret was rotated since, or the format changed. The caller may show signatures, and never these secrets.
 */
export async function readAttemptSecrets(
  { database }: Store,
  webhookId: bigint,
  deliveryId: bigint,
): Promise<ReadonlyMap<number, string[]>> {
  const secrets = secretsAt(sql`a.started_at`)
  const rows = await database.read<{ number: number; secrets: string[] }>(sql`
    select a.number::int as number, ${secrets} as secrets
      from webhooks w join delivery_attempts a on a.delivery_id = ${deliveryId}
     where w.id = ${webhookId} and a.signed_by = ${signedBy(secrets)} and w.format <> all(${FOR_PEOPLE}::text[])`)
  return new Map(rows.map(({ number, secrets: of }) => [number, of]))
}
