import type { Store } from '../../core/database/open-store.js'
import { sql, type Sql } from '../../core/database/sql.js'
import { policiesOfWallet } from '../lists/policies-of-wallet.js'
import { hasPaid } from './payers.js'

/** Whether a wallet paid a gateway or has a policy of it. Relies on events_gateway_payers and `policiesOfWallet`. */
export const hasDealtWith = (gateway: string, wallet: string): Sql => sql`
  (${hasPaid(gateway, sql`${wallet}`)} or exists (${policiesOfWallet(wallet, sql`q.gateway = ${gateway}`)}))`

/** Whether a wallet is a customer of a gateway. */
export async function isCustomer({ database }: Store, gateway: string, wallet: string): Promise<boolean> {
  const [row] = await database.read<{ is: boolean }>(sql`select ${hasDealtWith(gateway, wallet)} as is`)
  return row!.is
}
