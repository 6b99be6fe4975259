// What a gateway calls its own, found by how the text begins: tracking IDs of its payments and policies, names of its customers,
// tracking IDs and references of its expectations. Each index holds the texts of a gateway apart from those of others, in their order.
import { join, raw, sql, type Sql } from '../../core/database/sql.js'
import { soughtName } from '../../core/tables/customer-names.js'
import { IS_DIRECT } from '../lists/event-filter.js'
import { found, type Seeker, type Sought } from './found.js'

/** Of each kind. */
const MOST = raw('10')
/** A shorter text begins too many. */
export const LEAST_OF_BEGINNING = 3

/** The last text in the order of the index that begins with this one. */
export const endOf = (text: string): string => `${text}\u{10ffff}`

/** Of a short text what is called just so. */
const lastLike = (text: string): string => (text.length < LEAST_OF_BEGINNING ? text : endOf(text))

/**
 * Steps from text to text of an index, one probe each: one that a million rows have costs no more than another.
 * @param of a table with its conditions, which `and` can follow
 * @param range the first and the last text that count
 */
export function stepsOver(of: Sql, column: Sql, range: { from: string; to: string }, most = MOST): Sql {
  const next = (condition: Sql) =>
    sql`(select ${column} from ${of} and ${column} ${condition} order by ${column} limit 1)`
  return sql`(
    with recursive steps as (
      select ${next(sql`>= ${range.from}`)} as id, 1 as step
       union all
      select ${next(sql`> s.id`)}, s.step + 1 from steps s where s.id <= ${range.to} and s.step < ${most}
    ) select id from steps where id <= ${range.to})`
}

/** @param from a table with the alias `p`, and what follows it */
export const policies = (from: Sql): Sql =>
  sql`(${found('policy', sql`p.address`, sql`p.tracking_id`)} from ${from})`

/** Relies on events_gateway_direct and policies_gateway_tracking. A payment of a policy has the policy's tracking ID. */
function paymentProbes({ text }: Sought, gateway: string): Sql[] {
  const range = { from: text, to: lastLike(text) }
  const own = (live: Sql) => sql`policies p where p.gateway = ${gateway} and ${live}`
  const places = [
    stepsOver(sql`events e where e.gateway = ${gateway} and e.${IS_DIRECT}`, sql`e.tracking_id`, range),
    stepsOver(own(sql`p.live`), sql`p.tracking_id`, range),
    stepsOver(own(sql`not p.live`), sql`p.tracking_id`, range),
  ]
  return [
    sql`(${found('tracking_id', sql`s.id`)}
           from (${join(places, ' union ')}) s
          cross join lateral (select from trackings t where t.tracking_id = s.id and t.head > 0 limit 1) t
          order by s.id limit ${MOST})`,
    policies(sql`${own(sql`p.live`)} and p.tracking_id >= ${text} and p.tracking_id <= ${lastLike(text)}
          order by p.tracking_id limit ${MOST}`),
  ]
}

/** Relies on expectations_tracking and expectations_reference, each in its own order: any number can have one text. */
function expectationProbes({ text, isTrackingId }: Sought, gateway: string): Sql[] {
  const by = (column: Sql, order: Sql) =>
    sql`(${found('expectation', sql`x.id::text`, column)} from expectations x
          where x.gateway = ${gateway} and ${column} >= ${text} and ${column} <= ${lastLike(text)}
          order by ${column}, ${order} limit ${MOST})`
  return [
    ...(isTrackingId ? [by(sql`x.tracking_id`, sql`x.created_at, x.id`)] : []),
    by(sql`x.reference`, sql`x.id`),
  ]
}

/** Wallets by how the gateway's names for them begin. Relies on customer_names_sought. */
export function namedLike(
  gateway: string,
  text: string,
  most: Sql,
  columns: Sql = sql`select n.wallet`,
): Sql {
  const sought = soughtName(text)
  return sql`
    ${columns} from customer_names n
     where n.gateway = ${gateway} and n.sought >= ${sought} and n.sought <= ${lastLike(sought)}
     order by n.sought, n.wallet limit ${most}`
}

/** What the seeker may see of all that begins with the text; of a short one what is called just so. */
export function beginningProbes(sought: Sought, seeker: Seeker): Sql[] {
  const { gateway, customers, expectations } = seeker
  return [
    ...(customers && sought.isTrackingId ? paymentProbes(sought, gateway) : []),
    ...(customers
      ? [sql`(${namedLike(gateway, sought.text, MOST, found('customer', sql`n.wallet`, sql`n.name`))})`]
      : []),
    ...(expectations ? expectationProbes(sought, gateway) : []),
  ]
}
