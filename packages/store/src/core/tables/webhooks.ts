import { sql, type Sql } from '../database/sql.js'

/** Among which deliveries `ordered` holds: all of the webhook, or those of one tracking ID. */
export const ORDERS = ['all', 'trackingId'] as const
export type OrderedBy = (typeof ORDERS)[number]

/**
 * The secrets `e` of a row of webhooks that rotations replaced and that signed at a time, newest first.
 * @param at a column, or the clock
 */
export const earlierSecretsAt = (at: Sql): Sql => sql`
  jsonb_to_recordset(earlier_secrets) as e (secret text, until timestamptz(3)) where e.until > ${at}`

/** The secrets of a row of webhooks that sign at a time, the newest first. Hardly a webhook has earlier ones: to look is dear. */
export const secretsAt = (at: Sql): Sql => sql`
  case when earlier_secrets = '[]' then array[secret]
       else array[secret] || array(select e.secret from ${earlierSecretsAt(at)}) end`

/**
 * What `delivery_attempts.signed_by` holds: by it the API tells whether the secrets of now are those that signed a request. 32 bits of a
 * secret of 256 help nobody to find it.
 */
export const signedBy = (secrets: Sql): Sql =>
  sql`hashtext(format || ' ' || array_to_string(${secrets}, ' '))`

/** The secrets `e` of a row of webhooks that rotations replaced and that still sign, newest first. */
export const EARLIER_SECRETS = earlierSecretsAt(sql`clock_timestamp()`)
