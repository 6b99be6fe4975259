// Changes of policies by time alone: a due date comes near or passes unpaid, a policy expires. No chain event reports
// them.
import { DUE_LIFECYCLE_TYPES } from '@payment-tracking/domain'
import { inline, join, raw, sql, type Store } from '../../core/database/sql.js'
import { IS_ACTIVE } from '../../core/tables/delivery-rows.js'
import { isNotQuarantined } from '../../core/quarantine/isolate.js'
import { NOW } from '../../core/risk/due-risks.js'
import { datesOf, notifyDue, type DueMargins } from './notify-due.js'
import { notifyPages, type NotifyRound } from './notify-pages.js'

/** What the webhooks and the feed of each gateway ask for, as an earlier round of the same process found it. */
export type CachedAsks = Map<string, string>

export interface DueRound extends DueMargins, NotifyRound {
  /** default: nothing is cached, so that the round looks at every policy */
  cached?: CachedAsks
}

/** A gateway some of whose webhooks ask for dates, or whose feed is read for them. */
interface Asking {
  gateway: string
  /** changes when a webhook that asks is added, turned on or off, or asks for other types, and when the feed begins to ask */
  asks: string
}

/** A key in the order of gateways and their policies. `at` is the creation, or the time of the next check. */
interface PolicyKey {
  gateway: string
  at: bigint
  address: string
}

/** What one statement found. */
interface Check {
  addresses: string[]
  /** where the next check begins; null when this one has seen the last policy */
  next: PolicyKey | null
}

const TYPES = sql`array[${join(DUE_LIFECYCLE_TYPES.map(type => raw(`'${type}'`)))}]::text[]`
/** The webhook asks for one of the types. The index webhooks_due has this condition. */
const ASKS = sql`w.event_types && ${TYPES}`
const GATEWAYS_AT_ONCE = 500
/** Policies that one statement looks at: few of all policies have a date to notify of. */
const POLICIES_AT_ONCE = 5_000
/** Gateways that a process keeps in mind: some 20 MB. Beyond, it begins anew, and looks at every policy once more. */
const MOST_CACHED = 100_000

/**
 * Reports due, overdue and expired dates to the webhooks and feeds that ask for them, each once for its incarnation and date.
 * Any number of processes may do so at once. Only Postgres' clock decides.
 *
 * A round reads, by policies_next_check, the policies whose next check has come. In two cases it looks at every living policy
 * of a gateway, by policies_gateway_live: a webhook is new, or the feed begins to ask, and gets dates that have passed
 * already; or the process is new, and may use other margins than the process that set those times. In both, `known` lacks what
 * is asked for.
 *
 * Bounded: a statement looks at 5,000 policies of at most 500 gateways and takes no lock. A transaction reports at most
 * `limit` policies.
 * @returns the number of reported dates
 */
export const notifyDuePolicies = (store: Store, round: DueRound): Promise<number> =>
  notifyPages(store, 'due-dates', round, findDue(store, round), (tx, held) => notifyDue(tx, held, round))

async function* findDue(store: Store, round: DueRound): AsyncGenerator<string[]> {
  const { cached = new Map() } = round
  for (let after = ''; ;) {
    const asking = await readAsking(store, after)
    const isCached = ({ gateway, asks }: Asking) => cached.get(gateway) === asks
    const fresh = asking.filter(each => !isCached(each))
    const familiar = asking.filter(isCached).map(({ gateway }) => gateway)
    if (fresh.length > 0) {
      const gateways = fresh.map(({ gateway }) => gateway)
      yield* checkPages(key => checkAll(store, gateways, key, round))
      if (cached.size > MOST_CACHED) cached.clear()
      for (const { gateway, asks } of fresh) cached.set(gateway, asks)
    }
    if (familiar.length > 0) yield* checkPages(key => checkNext(store, familiar, key))
    if (asking.length < GATEWAYS_AT_ONCE) return
    after = asking.at(-1)!.gateway
  }
}

async function* checkPages(check: (from: PolicyKey) => Promise<Check>): AsyncGenerator<string[]> {
  for (let from: PolicyKey | null = FIRST; from !== null;) {
    const { addresses, next }: Check = await check(from)
    yield addresses
    from = next
  }
}

const readAsking = ({ database }: Store, after: string): Promise<readonly Asking[]> =>
  database.read<Asking>(sql`
    select a.gateway, string_agg(a.asks, ',' order by a.asks) as asks
      from (select w.gateway, w.id || ' ' || w.activation || ' ' || w.event_types::text as asks
              from webhooks w where ${ASKS} and ${IS_ACTIVE} and w.gateway > ${after}
             union all
            select s.gateway, 'feed' from gateway_settings s where s.feed_dates and s.gateway > ${after}) a
     group by a.gateway order by a.gateway limit ${inline(GATEWAYS_AT_ONCE)}`)

const IS_KEPT = isNotQuarantined('due-dates', sql`p.address`)
const FIRST: PolicyKey = { gateway: '', at: 0n, address: '' }

/** Every living policy of the gateways, in the order of creation. */
async function checkAll(
  { database }: Store,
  gateways: readonly string[],
  from: PolicyKey,
  margins: DueMargins,
): Promise<Check> {
  const checked = await database.read<PolicyKey & { isDue: boolean }>(sql`
    select p.gateway, p.created_at as at, p.address,
           p.status = 'active' and ${IS_KEPT} and exists (select from ${datesOf(margins)}) as "isDue"
      from (select p.*
              from unnest(${gateways.filter(gateway => gateway >= from.gateway)}::text[]) with ordinality g (gateway, nth)
             cross join lateral (
               select * from policies p
                where p.gateway = g.gateway collate "C" and p.live
                  and (g.gateway <> ${from.gateway} or (p.created_at, p.address) > (${from.at}, ${from.address}))
                order by p.created_at, p.address limit ${inline(POLICIES_AT_ONCE)}) p
             order by g.nth, p.created_at, p.address limit ${inline(POLICIES_AT_ONCE)}) p
     order by p.gateway, p.created_at, p.address`)
  return toCheck(checked, ({ isDue }) => isDue)
}

/** The policies whose next check has come. A row that is quarantined or locked keeps its key, and is passed over. */
async function checkNext({ database }: Store, gateways: readonly string[], from: PolicyKey): Promise<Check> {
  const checked = await database.read<PolicyKey & { isKept: boolean }>(sql`
    select p.gateway, p.next_check_at as at, p.address, ${IS_KEPT} as "isKept"
      from unnest(${gateways.filter(gateway => gateway >= from.gateway)}::text[]) with ordinality g (gateway, nth)
     cross join lateral (
       select * from policies p
        where p.gateway = g.gateway collate "C" and p.next_check_at <= ${NOW}
          and (g.gateway <> ${from.gateway} or (p.next_check_at, p.address) > (${from.at}, ${from.address}))
        order by p.next_check_at, p.address limit ${inline(POLICIES_AT_ONCE)}) p
     order by g.nth, p.next_check_at, p.address limit ${inline(POLICIES_AT_ONCE)}`)
  return toCheck(checked, ({ isKept }) => isKept)
}

const toCheck = <Row extends PolicyKey>(checked: readonly Row[], counts: (row: Row) => boolean): Check => ({
  addresses: checked.filter(counts).map(({ address }) => address),
  next: checked.length === POLICIES_AT_ONCE ? checked.at(-1)! : null,
})
