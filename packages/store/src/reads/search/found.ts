// What a search finds, and the row of a statement that says so.
import { sql, type Sql } from '../../core/database/sql.js'

export const FOUND_KINDS = [
  'transaction',
  'tracking_id',
  'policy',
  'wallet',
  'gateway',
  'customer',
  'webhook',
  'delivery',
  'expectation',
] as const
export type FoundKind = (typeof FOUND_KINDS)[number]

export interface Found {
  kind: FoundKind
  /** the signature, the tracking ID, the address or the id */
  id: string
  /** of a delivery: the webhook that it goes to */
  webhookId: bigint | null
  /** what people know it by: the URL of a webhook, the type of a delivery, the tracking ID of a policy or an expectation, a gateway's name of a customer */
  name: string | null
}

/** What a text can name, by its shape. */
export interface Sought {
  text: string
  isSignature: boolean
  isPublicKey: boolean
  isTrackingId: boolean
  isUuid: boolean
  /** a whole number that can be an id */
  isNumber: boolean
}

/** A gateway that searches, and what it may see. */
export interface Seeker {
  gateway: string
  customers: boolean
  webhooks: boolean
  expectations: boolean
}

/** A row of what was found. */
export const found = (
  kind: FoundKind,
  id: Sql,
  name: Sql = sql`null::text`,
  webhookId: Sql = sql`null::bigint`,
): Sql => sql`select ${kind}::text as kind, ${id} as id, ${name} as name, ${webhookId} as "webhookId"`

/** A row where the condition holds. */
export const where = (kind: FoundKind, text: string, condition: Sql): Sql =>
  sql`(${found(kind, sql`${text}::text`)} where ${condition})`
