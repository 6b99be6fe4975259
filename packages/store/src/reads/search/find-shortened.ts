// An address as pages show it, `B1zp…tKmC`, and the addresses that it can be.
import { join, raw, sql, type Sql, type Store } from '../../core/database/sql.js'
import { IS_DIRECT } from '../lists/event-filter.js'
import { endOf, stepsOver } from './by-beginning.js'
import { isPaid } from '../merchant/payers.js'

/** Both ends of a shortened address. */
export interface Shortened {
  first: string
  last: string
}

/** Addresses that are looked at in each place. Anybody can make many that begin alike, and none of them costs another one more. */
const STEPS = raw('20')
const MOST_FOUND = raw('5')

const addressesIn = (of: Sql, column: Sql, { first, last }: Shortened, isOwn = false): Sql => sql`
  select id as address, ${raw(String(isOwn))} as is_own
    from ${stepsOver(of, column, { from: first, to: endOf(first) }, STEPS)} s where right(id, ${last.length}::int) = ${last}`

/**
 * Finds the addresses that a shortened one can stand for, at most 5. Each place has an index that begins with its column: the primary
 * keys of policies, gateways and user_payments; user_payments_owner_token_mint_idx, policies_recipient_live, events_payer_direct,
 * events_recipient_direct. A gateway's own payers are found by events_gateway_payers, which holds them apart from those of others.
 * @param gateway that searches: its own payers stand first
 */
export async function findShortened(
  { database }: Store,
  sought: Shortened,
  gateway: string | null,
): Promise<string[]> {
  const places = [
    addressesIn(sql`policies p where p.live`, sql`p.address`, sought),
    addressesIn(sql`gateways g where true`, sql`g.address`, sought),
    addressesIn(sql`user_payments u where true`, sql`u.address`, sought),
    addressesIn(sql`user_payments u where true`, sql`u.owner`, sought),
    addressesIn(sql`policies p where p.live`, sql`p.recipient`, sought),
    addressesIn(sql`events e where e.${IS_DIRECT}`, sql`e.payer`, sought),
    addressesIn(sql`events e where e.${IS_DIRECT}`, sql`e.recipient`, sought),
  ]
  if (gateway !== null)
    places.push(addressesIn(sql`events e where ${isPaid(gateway)}`, sql`e.payer`, sought, true))
  const rows = await database.read<{ address: string }>(
    sql`select address from (${join(places, ' union all ')}) a
         group by address order by bool_or(is_own) desc, address limit ${MOST_FOUND}`,
  )
  return rows.map(({ address }) => address)
}
