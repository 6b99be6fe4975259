import { sql } from '../database/sql.js'

/** A `GatewayState`, of gateways `g`. */
export const GATEWAY_COLUMNS = sql`
  g.address, g.authority, g.incarnation_start as "incarnationStart", g.deleted_order as "deletedOrder", g.signer,
  g.signer_order as "signerOrder"`
