import type { Store } from '../../core/database/sql.js'
import { soughtName } from '../../core/tables/customer-names.js'

/** Keeps what a gateway calls a wallet. @param name 1 to 64 characters; null: none any more */
export const nameCustomer = (
  { database }: Store,
  { gateway, wallet, name }: { gateway: string; wallet: string; name: string | null },
): Promise<void> =>
  database.withModels(async client => {
    if (name === null) {
      await client.customerName.deleteMany({ where: { gateway, wallet } })
      return
    }
    const named = { name, sought: soughtName(name) }
    await client.customerName.upsert({
      where: { gateway_wallet: { gateway, wallet } },
      create: { gateway, wallet, ...named },
      update: named,
    })
  })
