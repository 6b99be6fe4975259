import type { GatewayState } from '@payment-tracking/domain'
import { sql, type Store } from '../../core/database/sql.js'
import { GATEWAY_COLUMNS } from '../../core/tables/gateways.js'

/** A gateway's present state on the chain, for `signersOf` of the domain; null for an unknown gateway. */
export const readGatewayState = async (
  { database }: Store,
  address: string,
): Promise<GatewayState | null> => {
  const [gateway] = await database.read<GatewayState>(sql`
    select ${GATEWAY_COLUMNS} from gateways g where g.address = ${address}`)
  return gateway ?? null
}
