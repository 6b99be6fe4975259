import type { Pool } from './create-database.js'

export interface WebhookChoices {
  /** default: payments alone */
  types?: readonly string[]
  finality?: 'confirmed' | 'finalized'
  filters?: object | null
  ordered?: boolean
  active?: boolean
}

/** A webhook of a gateway, as a row. Nothing is sent to its endpoint. @returns its id */
export async function insertWebhook(
  pool: Pick<Pool, 'query'>,
  gateway: string,
  { types = [], finality = 'confirmed', filters = null, ordered = false, active = true }: WebhookChoices = {},
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into webhooks (gateway, endpoint_url, secret, event_types, finality, filters, ordered, active)
     values ($1, 'https://shop.example/', 'whsec_', $2, $3, $4, $5, $6) returning id`,
    [gateway, types, finality, filters, ordered, active],
  )
  return rows[0]!.id
}
