import type { GatewayState } from '@payment-tracking/domain'
import type { Sql } from '../store.js'
import { translated } from '../translated.js'

/** A gateway as the chain left it, for `signersOf` of the domain; null when the chain never told of it. */
export const readGatewayState = (sql: Sql, address: string): Promise<GatewayState | null> =>
  translated(async () => {
    const rows = await sql.$queryRaw<GatewayState[]>`
      select address, authority, life_start as "lifeStart", deleted_order as "deletedOrder", signer,
             signer_order as "signerOrder"
        from gateways where address = ${address}`
    return rows[0] ?? null
  })
