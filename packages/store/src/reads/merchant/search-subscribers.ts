// The wallets of a gateway that a search names.
import { raw, sql, type Store } from '../../core/database/sql.js'
import { namedLike } from '../search/by-beginning.js'
import type { SubscriberFilter, SubscriberPage } from './find-subscribers.js'
import type { PageOfWallets } from './payers.js'
import { readSubscribers } from './read-subscribers.js'
import type { CustomerRules } from './subscriber-state.js'

/** Events and policies of a tracking ID that a search looks at, the newest: anybody can write any tracking ID. */
const SEARCHED = raw('50')

/**
 * A wallet, the payers and the owners of policies of a tracking ID, and whom the gateway calls so, by wallet. Relies on
 * events_tracking_newest, events_tracking_rare, policies_tracking_live and customer_names_sought.
 */
export async function searchSubscribers(
  store: Store,
  gateway: string,
  { search, state, neverPaid }: SubscriberFilter & { search: string },
  { limit, offset, after = '' }: PageOfWallets,
  rules: CustomerRules,
): Promise<SubscriberPage> {
  const rows = await store.database.read<{ wallet: string }>(sql`
    with found as (
      select e.payer, null::text as user_payment
        from (select * from events e where e.tracking_id = ${search}
               order by e.occurred_at desc, e.slot desc, e.event_index desc, e.id desc limit ${SEARCHED}) e
       where e.gateway = ${gateway} and e.amount is not null and e.retracted_at is null
      union all
      select null, e.user_payment
        from (select * from events e where e.tracking_id = ${search} and e.name <> 'PaymentRecord'
               order by e.name desc, e.occurred_at desc limit ${SEARCHED}) e
       where e.gateway = ${gateway} and e.amount is null and e.retracted_at is null
      union all
      select null, p.user_payment
        from (select * from policies p where p.tracking_id = ${search} and p.live
               order by p.created_at desc, p.address desc limit ${SEARCHED}) p
       where p.gateway = ${gateway}
    )
    select distinct k.wallet
      from (select coalesce(f.payer, u.owner) as wallet from found f
              left join user_payments u on u.address = f.user_payment
             union all select ${search}::text
             union all (${namedLike(gateway, search, SEARCHED)})) k
     where k.wallet > ${after}
     order by k.wallet limit ${limit + 1} offset ${BigInt(offset)}`)
  const wallets = rows.slice(0, limit).map(({ wallet }) => wallet)
  // What was searched for is no customer only because it is a wallet.
  const items = (await readSubscribers(store, gateway, wallets, rules)).filter(
    item =>
      (item.policyCount > 0n || item.byToken.length > 0) &&
      (state === undefined || item.state === state) &&
      (!neverPaid || item.byToken.length === 0),
  )
  const isAll = rows.length <= limit
  return {
    items,
    total: isAll && after === '' && offset === 0 ? BigInt(items.length) : null,
    next: isAll ? null : wallets.at(-1)!,
  }
}
