import { isLive, type GatewayState } from '@payment-tracking/domain'
import { columnTable } from '../database/columns.js'
import { sql, type PipelinedTx, type Tx } from '../database/sql.js'
import { turnOff, type DeactivationReason } from './turn-off.js'

/** A `GatewayState`, of gateways `g`. */
export const GATEWAY_COLUMNS = sql`
  g.address, g.authority, g.incarnation_start as "incarnationStart", g.deleted_order as "deletedOrder", g.signer,
  g.signer_order as "signerOrder"`

/** The same as one object. */
export const GATEWAY_OBJECT = sql`(select to_json(state) from (select ${GATEWAY_COLUMNS}) state)`

/** The gateways of `addresses` that appear in any event. */
export async function readGateways(tx: Tx, addresses: readonly string[]): Promise<GatewayState[]> {
  if (addresses.length === 0) return []
  return tx.$queryRaw<GatewayState[]>`
    select ${GATEWAY_COLUMNS} from gateways g where g.address = any(${addresses}::text[])`
}

const GATEWAYS = columnTable<GatewayState>('g', {
  address: ['text', ({ address }) => address],
  authority: ['text', ({ authority }) => authority],
  incarnation_start: ['text', ({ incarnationStart }) => incarnationStart],
  deleted_order: ['text', ({ deletedOrder }) => deletedOrder],
  signer: ['text', ({ signer }) => signer],
  signer_order: ['text', ({ signerOrder }) => signerOrder],
})

/** SQL: a model upserts one row in a statement. */
export function writeGateways(tx: PipelinedTx, gateways: readonly GatewayState[]): void {
  if (gateways.length === 0) return
  tx.send(sql`
    insert into gateways (${GATEWAYS.names}) select * from ${GATEWAYS.listOf(gateways)}
    on conflict (address) do update set ${GATEWAYS.excluded}`)
  const deleted = gateways.filter(gateway => gateway.deletedOrder !== null && !isLive(gateway))
  const addresses = deleted.map(({ address }) => address)
  if (addresses.length > 0) stopWebhooks(tx, addresses)
}

/**
 * Deactivates the webhooks of deleted gateways and revokes their keys, in the transaction of the deletion: at most 20 rows
 * of each for a gateway. The deliveries are cancelled with their webhooks (turn-off.ts). SQL: the database's clock.
 */
function stopWebhooks(tx: PipelinedTx, gateways: readonly string[]): void {
  const reason: DeactivationReason = 'gateway-deleted'
  tx.send(
    turnOff(sql`w.gateway = any(${[...gateways]}::text[]) and w.deleted_at is null and w.active`, {
      why: `webhook deactivated: ${reason}`,
      more: sql`deactivated_reason = ${reason}, deactivated_at = clock_timestamp()`,
    }),
  )
  tx.send(sql`
    update api_keys set revoked_at = clock_timestamp()
     where gateway = any(${[...gateways]}::text[]) and revoked_at is null`)
}
