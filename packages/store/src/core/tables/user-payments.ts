import type { UserPaymentState } from '@payment-tracking/domain'
import { columnTable } from '../database/columns.js'
import { empty, sql, type PipelinedTx, type Tx } from '../database/sql.js'

/** The user payments of `addresses` and of stored policies, as far as they are known. */
export async function readUserPayments(
  tx: Tx,
  addresses: readonly string[],
  policies: readonly string[] = [],
): Promise<UserPaymentState[]> {
  if (addresses.length + policies.length === 0) return []
  const linked = sql`union select user_payment from policies where address = any(${policies}::text[])`
  return tx.$queryRaw<UserPaymentState[]>`
    select address, owner, token_mint as "tokenMint", token_account as "tokenAccount", incarnation_start as "incarnationStart",
           deleted_order as "deletedOrder"
      from user_payments
     where address = any(array(select unnest(${addresses}::text[]) ${policies.length === 0 ? empty : linked}))`
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
