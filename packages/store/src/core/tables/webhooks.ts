import { sql, type Sql } from '../database/sql.js'

/** Among which deliveries `ordered` holds: all of the webhook, or those of one tracking ID. */
export const ORDERS = ['all', 'trackingId'] as const
export type OrderedBy = (typeof ORDERS)[number]

/**
 * A rotation replaces a secret, which goes on signing for a while. These are the replaced secrets `e` of a webhook that signed at a
 * time, newest first. The statement reads a row of webhooks.
 * @param at a column, or the clock
 */
export const earlierSecretsAt = (at: Sql): Sql => sql`
  jsonb_to_recordset(earlier_secrets) as e (secret text, until timestamptz(3)) where e.until > ${at}`

/** All secrets of a webhook that sign at a time, the newest first. Most webhooks have one: Postgres then builds no set of others. */
export const secretsAt = (at: Sql): Sql => sql`
  case when earlier_secrets = '[]' then array[secret]
       else array[secret] || array(select e.secret from ${earlierSecretsAt(at)}) end`

/**
 * The value of `delivery_attempts.signed_by`: a hash of the format and the secrets of the moment. The API compares it with the secrets
 * of now. Only when both agree it shows the signature that the request had. The hash has 32 bits and a secret has 256: it tells nobody
 * the secret.
 */
export const signedBy = (secrets: Sql): Sql =>
  sql`hashtext(format || ' ' || array_to_string(${secrets}, ' '))`

/** The replaced secrets `e` of a webhook that still sign, newest first. */
export const EARLIER_SECRETS = earlierSecretsAt(sql`clock_timestamp()`)
