import type { GatewayState } from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'

/** A gateway's present state on the chain, for `signersOf` of the domain; null for an unknown gateway. */
export const readGatewayState = async (
  { database }: Store,
  address: string,
): Promise<GatewayState | null> => {
  const rows = await database.read<GatewayState>(sql`
      select address, authority, life_start as "incarnationStart", deleted_order as "deletedOrder", signer,
             signer_order as "signerOrder"
        from gateways where address = ${address}`)
  return rows[0] ?? null
}
