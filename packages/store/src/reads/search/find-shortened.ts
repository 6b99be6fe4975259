// An address as pages show it, `B1zp…tKmC`, and the addresses that it can be.
import type { Store } from '../../core/database/open-store.js'
import { join, raw, sql, type Sql } from '../../core/database/sql.js'
import { IS_DIRECT } from '../lists/event-filter.js'
import { isPaid } from '../merchant/payers.js'

/** Both ends of a shortened address. */
export interface Shortened {
  first: string
  last: string
}

/** Addresses that are looked at in each place. Anybody can make many that begin alike, and none of them costs another one more. */
const STEPS = raw('20')
const MOST_FOUND = raw('5')

/** Steps from address to address of an index, one probe each, however often it holds one. @param rows after `from` */
function stepsOver(column: Sql, rows: Sql, { first, last }: Shortened, isOwn = false): Sql {
  // Every text that begins with `first` is sorted before `first` followed by the last character of all.
  const end = sql`${`${first}\u{10ffff}`}`
  const next = (condition: Sql) =>
    sql`(select ${column} from ${rows} and ${column} ${condition} order by ${column} limit 1)`
  return sql`(
    with recursive steps as (
      select ${next(sql`>= ${first}`)} as address, 1 as step
       union all
      select ${next(sql`> s.address`)}, s.step + 1 from steps s where s.address < ${end} and s.step < ${STEPS}
    ) select address, ${raw(String(isOwn))} as is_own from steps where address < ${end} and right(address, ${last.length}::int) = ${last})`
}

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
    stepsOver(sql`p.address`, sql`policies p where p.live`, sought),
    stepsOver(sql`g.address`, sql`gateways g where true`, sought),
    stepsOver(sql`u.address`, sql`user_payments u where true`, sought),
    stepsOver(sql`u.owner`, sql`user_payments u where true`, sought),
    stepsOver(sql`p.recipient`, sql`policies p where p.live`, sought),
    stepsOver(sql`e.payer`, sql`events e where e.${IS_DIRECT}`, sought),
    stepsOver(sql`e.recipient`, sql`events e where e.${IS_DIRECT}`, sought),
  ]
  if (gateway !== null)
    places.push(stepsOver(sql`e.payer`, sql`events e where ${isPaid(gateway)}`, sought, true))
  const rows = await database.read<{ address: string }>(
    sql`select address from (${join(places, ' union all ')}) a
         group by address order by bool_or(is_own) desc, address limit ${MOST_FOUND}`,
  )
  return rows.map(({ address }) => address)
}
