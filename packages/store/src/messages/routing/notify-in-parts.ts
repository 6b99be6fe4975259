// Notifies of what no event says of policies: some policies in one transaction.
import type { DeliveryRef } from '@payment-tracking/contracts'
import { PAGE_LIMITS, sql, type ClientTx, type Store } from '../../core/database/sql.js'
import { isolate } from '../../core/quarantine/isolate.js'

/** What gateways were notified of. */
export interface NotifiedPage {
  deliveries: DeliveryRef[]
  /** dates, or risks */
  notified: number
}

/** Notifies of policies whose rows the transaction holds. They may have changed since they were found. */
type Notify = (tx: ClientTx, held: readonly string[]) => Promise<NotifiedPage>

/**
 * Notifies of policies in transactions of some milliseconds, and quarantines those that make theirs fail.
 *
 * A transaction first locks rows of policies and then judges them, and ingest writes the same row when it stores a payment. So
 * nobody is notified of a policy whose payment is stored. Rows that others have locked are skipped and found by the next round, so
 * there is no deadlock. The lock is a statement of its own: one statement would judge a changed row by what it was before the lock.
 * A policy without a row cannot be locked and is judged all the same: its messages have keys that no second transaction can write.
 * @param limit the most policies of a transaction
 */
export async function notifyInParts(
  store: Store,
  task: 'due-dates' | 'payment-risks',
  addresses: readonly string[],
  limit: number,
  notify: Notify,
): Promise<NotifiedPage> {
  const all: NotifiedPage = { deliveries: [], notified: 0 }
  for (let from = 0; from < addresses.length; from += limit) {
    const some = addresses.slice(from, from + limit)
    for (const { deliveries, notified } of await isolate(store, task, some, part =>
      notifyPart(store, part, notify),
    )) {
      all.deliveries.push(...deliveries)
      all.notified += notified
    }
  }
  return all
}

const notifyPart = (
  { database }: Store,
  addresses: readonly string[],
  notify: Notify,
): Promise<NotifiedPage> =>
  database.transaction(async tx => {
    const locked = await tx.$queryRaw<{ address: string }[]>(sql`
      with locked as (
        select address from policies where address = any(${[...addresses]}::text[])
         order by address for no key update skip locked
      )
      select address from locked
       union all
      select k.address from unnest(${[...addresses]}::text[]) k (address)
       where not exists (select from policies p where p.address = k.address collate "C")`)
    const held = locked.map(({ address }) => address)
    return held.length === 0 ? { deliveries: [], notified: 0 } : notify(tx, held)
  }, PAGE_LIMITS)
