import type { UserPaymentState } from '@payment-tracking/domain'
import { columnTable } from '../database/columns.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import { sql, type Tx } from '../database/sql.js'

/** The user payments of `addresses` that are known. */
export async function readUserPayments(tx: Tx, addresses: readonly string[]): Promise<UserPaymentState[]> {
  if (addresses.length === 0) return []
  return tx.$queryRaw<UserPaymentState[]>`
    select address, owner, token_mint as "tokenMint", token_account as "tokenAccount", incarnation_start as "incarnationStart",
           deleted_order as "deletedOrder"
      from user_payments where address = any(${addresses}::text[])`
}

const USER_PAYMENTS = columnTable<UserPaymentState>('u', {
  address: ['text', ({ address }) => address],
  owner: ['text', ({ owner }) => owner],
  token_mint: ['text', ({ tokenMint }) => tokenMint],
  token_account: ['text', ({ tokenAccount }) => tokenAccount],
  incarnation_start: ['text', ({ incarnationStart }) => incarnationStart],
  deleted_order: ['text', ({ deletedOrder }) => deletedOrder],
})

/** SQL: a model upserts one row in a statement. */
export function writeUserPayments(tx: PipelinedTx, userPayments: readonly UserPaymentState[]): void {
  if (userPayments.length === 0) return
  tx.send(sql`
    insert into user_payments (${USER_PAYMENTS.names}) select * from ${USER_PAYMENTS.listOf(userPayments)}
    on conflict (address) do update set ${USER_PAYMENTS.excluded}`)
}
