import { isLive, type GatewayState } from '@payment-tracking/domain'
import { sql, type Tx } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import type { DeactivationReason } from '../webhooks/deactivate-webhooks.js'

interface GatewayRow {
  address: string
  authority: string | null
  life_start: string | null
  deleted_order: string | null
  signer: string | null
  signer_order: string | null
}

/** The gateways of `addresses` that appear in any event. */
export async function readGateways(tx: Tx, addresses: readonly string[]): Promise<GatewayState[]> {
  if (addresses.length === 0) return []
  const rows = await tx.$queryRaw<GatewayRow[]>`
    select address, authority, life_start, deleted_order, signer, signer_order
      from gateways where address = any(${addresses}::text[])`
  return rows.map(row => ({
    address: row.address,
    authority: row.authority,
    incarnationStart: row.life_start,
    deletedOrder: row.deleted_order,
    signer: row.signer,
    signerOrder: row.signer_order,
  }))
}

export function writeGateways(tx: PipelinedTx, gateways: readonly GatewayState[]): void {
  if (gateways.length === 0) return
  const column = <T>(pick: (gateway: GatewayState) => T): T[] => gateways.map(pick)
  tx.send(sql`
    insert into gateways (address, authority, life_start, deleted_order, signer, signer_order)
    select * from unnest(
      ${column(gateway => gateway.address)}::text[],
      ${column(gateway => gateway.authority)}::text[],
      ${column(gateway => gateway.incarnationStart)}::text[],
      ${column(gateway => gateway.deletedOrder)}::text[],
      ${column(gateway => gateway.signer)}::text[],
      ${column(gateway => gateway.signerOrder)}::text[])
    on conflict (address) do update set
      authority = excluded.authority, life_start = excluded.life_start, deleted_order = excluded.deleted_order,
      signer = excluded.signer, signer_order = excluded.signer_order`)
  const deleted = gateways.filter(gateway => gateway.deletedOrder !== null && !isLive(gateway))
  if (deleted.length > 0) {
    stopWebhooks(
      tx,
      deleted.map(gateway => gateway.address),
    )
  }
}

/**
 * Deactivates the webhooks of deleted gateways and cancels their open deliveries, in the transaction of the deletion.
 */
function stopWebhooks(tx: PipelinedTx, gateways: readonly string[]): void {
  const reason: DeactivationReason = 'gateway-deleted'
  tx.send(sql`
    with stopped as (
      update webhooks set active = false, deactivated_reason = ${reason}, deactivated_at = clock_timestamp()
       where gateway = any(${[...gateways]}::text[]) and active
      returning id)
    update deliveries
       set state = 'cancelled', finished_at = clock_timestamp(), last_error = ${`webhook deactivated: ${reason}`},
           held_since = null, held_reason = null
     where webhook_id in (select id from stopped) and state in ('pending', 'waiting')`)
}
