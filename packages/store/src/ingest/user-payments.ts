import type { UserPaymentState } from '@payment-tracking/domain'
import { sql, type Tx } from '../database/sql.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'

interface UserPaymentRow {
  address: string
  owner: string | null
  token_mint: string | null
  life_start: string | null
  deleted_order: string | null
}

/** The user payments of `addresses` that are known. */
export async function readUserPayments(tx: Tx, addresses: readonly string[]): Promise<UserPaymentState[]> {
  if (addresses.length === 0) return []
  const rows = await tx.$queryRaw<UserPaymentRow[]>`
    select address, owner, token_mint, life_start, deleted_order
      from user_payments where address = any(${addresses}::text[])`
  return rows.map(row => ({
    address: row.address,
    owner: row.owner,
    tokenMint: row.token_mint,
    incarnationStart: row.life_start,
    deletedOrder: row.deleted_order,
  }))
}

export function writeUserPayments(tx: PipelinedTx, userPayments: readonly UserPaymentState[]): void {
  if (userPayments.length === 0) return
  const column = <T>(pick: (userPayment: UserPaymentState) => T): T[] => userPayments.map(pick)
  tx.send(sql`
    insert into user_payments (address, owner, token_mint, life_start, deleted_order)
    select * from unnest(
      ${column(userPayment => userPayment.address)}::text[],
      ${column(userPayment => userPayment.owner)}::text[],
      ${column(userPayment => userPayment.tokenMint)}::text[],
      ${column(userPayment => userPayment.incarnationStart)}::text[],
      ${column(userPayment => userPayment.deletedOrder)}::text[])
    on conflict (address) do update set
      owner = excluded.owner, token_mint = excluded.token_mint,
      life_start = excluded.life_start, deleted_order = excluded.deleted_order`)
}
