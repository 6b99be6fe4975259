import { sql } from '../database/sql.js'

/** Among which deliveries `ordered` holds: all of the webhook, or those of one tracking ID. */
export const ORDERS = ['all', 'trackingId'] as const
export type OrderedBy = (typeof ORDERS)[number]

/** The secrets `e` of a row of webhooks that rotations replaced and that still sign, newest first. */
export const EARLIER_SECRETS = sql`
  jsonb_to_recordset(earlier_secrets) as e (secret text, until timestamptz(3)) where e.until > clock_timestamp()`
