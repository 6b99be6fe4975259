import { columnTable } from '../core/database/columns.js'
import { sql, type Store } from '../core/database/sql.js'
import { IS_LIVE } from '../core/tables/delivery-rows.js'
import type { ClaimedDelivery } from './claim-deliveries.js'

const CLAIMS = columnTable<ClaimedDelivery>('c', {
  id: ['bigint', ({ id }) => id],
  endpoint_url: ['text', ({ endpointUrl }) => endpointUrl],
  secret: ['text', ({ secrets }) => secrets[0]!],
})

/**
 * Finds the claimed deliveries that may still be sent as they were claimed: their webhook is on, was not turned off since their tries
 * began, and has the URL and the secret of the claim. Reads by primary keys.
 * @returns their ids
 */
export async function findCurrentClaims(
  { database }: Store,
  claimed: readonly ClaimedDelivery[],
): Promise<bigint[]> {
  const rows = await database.read<{ id: bigint }>(sql`
    select d.id
      from ${CLAIMS.listOf(claimed)} join deliveries d on d.id = c.id join webhooks w on w.id = d.webhook_id
     where ${IS_LIVE} and w.endpoint_url = c.endpoint_url and w.secret = c.secret`)
  return rows.map(({ id }) => id)
}
