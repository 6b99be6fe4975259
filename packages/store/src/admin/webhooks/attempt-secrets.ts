import { sql, type Store } from '../../core/database/sql.js'
import { secretsAt, signedBy } from '../../core/tables/webhooks.js'

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
