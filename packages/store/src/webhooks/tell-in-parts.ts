// Tells of policies what no event says of them: some policies in one transaction.
import type { DeliveryRef } from '@payment-tracking/contracts'
import { PAGE_LIMITS } from '../database/database.js'
import type { Store } from '../database/open-store.js'
import { sql, type Tx } from '../database/sql.js'
import { isolate } from '../set-aside/isolate.js'

/** What was told. */
export interface ToldPage {
  deliveries: DeliveryRef[]
  /** dates, or risks */
  told: number
}

/** Tells of policies whose rows the transaction holds. They may have changed since they were found. */
type Tell = (tx: Tx, held: readonly string[]) => Promise<ToldPage>

/**
 * Tells of policies in transactions of some milliseconds, and sets those aside that make theirs fail.
 *
 * A transaction locks a row of policies before it judges the row, and ingest writes the same row in the transaction that
 * stores a payment. So nothing is told of a policy whose payment is stored. Rows that others have locked are skipped, and
 * found again by the next round: so there is no deadlock. The lock is a statement of its own: a statement that waits for a
 * row, or meets a changed row, keeps what it computed from the old row.
 * @param limit the most policies of a transaction
 */
export async function tellInParts(
  store: Store,
  task: 'due-dates' | 'payment-risks',
  addresses: readonly string[],
  limit: number,
  tell: Tell,
): Promise<ToldPage> {
  const all: ToldPage = { deliveries: [], told: 0 }
  for (let from = 0; from < addresses.length; from += limit) {
    const some = addresses.slice(from, from + limit)
    for (const { deliveries, told } of await isolate(store, task, some, part =>
      tellPart(store, part, tell),
    )) {
      all.deliveries.push(...deliveries)
      all.told += told
    }
  }
  return all
}

const tellPart = ({ database }: Store, addresses: readonly string[], tell: Tell): Promise<ToldPage> =>
  database.transaction(async tx => {
    const locked = await tx.$queryRaw<{ address: string }[]>(sql`
      select address from policies where address = any(${[...addresses]}::text[])
       order by address for no key update skip locked`)
    const held = locked.map(({ address }) => address)
    return held.length === 0 ? { deliveries: [], told: 0 } : tell(tx, held)
  }, PAGE_LIMITS)
