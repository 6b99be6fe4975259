// Wallets by their state: found along the policies of a gateway, or along the wallets that paid it. One request looks at
// `MOST_SCANNED` of them, so a page can hold fewer wallets than asked for and still have a next.
import type { Store } from '../../core/database/open-store.js'
import { empty, sql, type Sql } from '../../core/database/sql.js'
import { decodeEventCursor, encodeEventCursor } from '../lists/event-cursor.js'
import {
  countSubscribers,
  listSubscribers,
  MOST_WALLETS,
  readSubscribers,
  type PageOfWallets,
  type SubscriberPage,
} from './list-subscribers.js'
import { hasPaid, payersAfter } from './payers.js'
import { searchSubscribers } from './search-subscribers.js'
import { walletsByPaid, walletsByTime, type SubscriberOrder } from './sort-subscribers.js'
import {
  canBeAtRisk,
  isActive,
  isAtRisk,
  isOverdue,
  walletPolicies,
  type CustomerRules,
  type StateClock,
  type SubscriberState,
} from './subscriber-state.js'

/** Policies or wallets that one request looks at, and those of one statement. */
const MOST_SCANNED = 10_000
const ROWS_AT_ONCE = 1_000

/** All that is given must hold. */
export interface SubscriberFilter {
  /** a wallet or a tracking ID */
  search?: string | undefined
  /** none: whatever it is */
  state?: SubscriberState | undefined
  /** owners of policies who never paid, instead of the wallets that paid */
  neverPaid?: boolean | undefined
  /** of all wallets that paid, which nothing above chooses from */
  sort?: SubscriberOrder | undefined
  /** with `sort: 'paid'`: which token; none: that of most payments */
  tokenMint?: string | undefined
}

interface Key {
  createdAt: bigint
  address: string
}

interface WalkedRow extends Key {
  /** null for a policy whose wallet is not what is looked for */
  wallet: string | null
}

const readKey = (after: string | undefined): Key | null => {
  const [createdAt = '', address = ''] = after?.split('_') ?? []
  return /^-?\d{1,18}$/.test(createdAt) && address !== '' ? { createdAt: BigInt(createdAt), address } : null
}

/** The policies that can make a wallet be in a state: all of who never paid have no payment. */
function canBeIn(state: SubscriberState | undefined, clock: StateClock): Sql {
  if (state === 'overdue') return isOverdue(clock)
  if (state === 'at_risk') return canBeAtRisk(clock)
  return state === 'active' ? isActive(clock) : sql`p.payment_count = 0`
}

/** Whether the wallet `o.owner` with the policies `w` is in a state. */
function isIn(state: SubscriberState, gateway: string, rules: CustomerRules): Sql {
  if (state !== 'active' && state !== 'at_risk') return sql`coalesce(w.state, 'never_paid') = ${state}`
  const risk = isAtRisk(gateway, sql`o.owner`, rules)
  return sql`w.state = 'active' and ${state === 'at_risk' ? risk : sql`not ${risk}`}`
}

/**
 * The next policies of a gateway, newest first, with the wallets that are looked for: each at the newest of its policies that
 * can make it so. Relies on policies_gateway_live and policies_gateway_gone, each read backwards, and on what
 * `walletPolicies` and `hasPaid` rely on.
 */
function walk(
  gateway: string,
  { state, neverPaid }: SubscriberFilter,
  key: Key | null,
  rules: CustomerRules,
): Sql {
  const afterKey = key ? sql`and (p.created_at, p.address) < (${key.createdAt}, ${key.address})` : empty
  const some = (live: Sql): Sql => sql`
    (select p.* from policies p
      where p.gateway = ${gateway} and ${live} ${afterKey}
      order by p.created_at desc, p.address desc limit ${ROWS_AT_ONCE})`
  const isWanted = canBeIn(state, rules)
  const isLiving = state === 'overdue' || state === 'at_risk' || state === 'active'
  const isUnpaid = neverPaid === true || state === 'never_paid'
  return sql`
    select case when w.newest = p.address then
             case when ${state === undefined ? sql`true` : isIn(state, gateway, rules)}
                    ${isUnpaid ? sql`and not (${hasPaid(gateway, sql`o.owner`)})` : empty}
               then o.owner end end as wallet, p.created_at as "createdAt", p.address
      from (select * from (${some(sql`p.live`)} ${isLiving ? empty : sql`union all ${some(sql`not p.live`)}`}) p
             order by p.created_at desc, p.address desc limit ${ROWS_AT_ONCE}) p
      left join lateral (
        select owner from user_payments where address = p.user_payment and ${isWanted} limit 1) o on true
      left join lateral (${walletPolicies(gateway, sql`o.owner`, rules, isWanted)}) w on true
     order by p.created_at desc, p.address desc`
}

async function walkPolicies(
  store: Store,
  gateway: string,
  filter: SubscriberFilter,
  { limit, offset, after }: PageOfWallets,
  rules: CustomerRules,
): Promise<SubscriberPage> {
  const first = readKey(after)
  // Nearly all policies of a gateway are of active wallets: counting those would cost more than the page.
  const isCounted = first === null && filter.state !== 'active' && filter.state !== 'never_paid'
  const found: WalkedRow[] = []
  let key = first
  let [scanned, isLast] = [0, false]
  while (!isLast && scanned <= MOST_SCANNED && (found.length <= offset + limit || isCounted)) {
    const rows = await store.database.read<WalkedRow>(walk(gateway, filter, key, rules))
    found.push(...rows.filter(({ wallet }) => wallet !== null))
    scanned += rows.length
    isLast = rows.length < ROWS_AT_ONCE
    key = rows.at(-1) ?? key
  }
  const page = found.slice(offset, offset + limit)
  const isCut = found.length > offset + limit
  const last = isCut ? page.at(-1) : key
  const wallets = page.map(({ wallet }) => wallet!)
  return {
    items: await readSubscribers(store, gateway, wallets, rules),
    total: first === null && isLast && found.length <= MOST_WALLETS ? BigInt(found.length) : null,
    next: last && (isCut || !isLast) ? `${last.createdAt}_${last.address}` : null,
  }
}

/** Wallets that paid and have nothing active any more, by wallet. Relies on what `listSubscribers` relies on. */
async function walkEnded(
  store: Store,
  gateway: string,
  { limit, offset, after = '' }: PageOfWallets,
  rules: CustomerRules,
): Promise<SubscriberPage> {
  const found: string[] = []
  let [reached, scanned, isLast] = [after, 0, false]
  while (!isLast && scanned <= MOST_SCANNED && found.length <= offset + limit) {
    const rows = await store.database.read<{ wallet: string; isEnded: boolean }>(sql`
      select w.wallet, p.state is null as "isEnded"
        from (${payersAfter(gateway, reached, ROWS_AT_ONCE)}) w
       cross join lateral (${walletPolicies(gateway, sql`w.wallet`, rules)}) p
       order by w.wallet`)
    found.push(...rows.filter(({ isEnded }) => isEnded).map(({ wallet }) => wallet))
    scanned += rows.length
    isLast = rows.length < ROWS_AT_ONCE
    reached = rows.at(-1)?.wallet ?? reached
  }
  const page = found.slice(offset, offset + limit)
  const isCut = found.length > offset + limit
  return {
    items: await readSubscribers(store, gateway, page, rules),
    total: after === '' && isLast && found.length <= MOST_WALLETS ? BigInt(found.length) : null,
    next: isCut ? page.at(-1)! : isLast ? null : reached,
  }
}

async function walkInOrder(
  store: Store,
  gateway: string,
  { sort, tokenMint }: SubscriberFilter,
  { limit, offset, after }: PageOfWallets,
  rules: CustomerRules,
): Promise<SubscriberPage> {
  if (sort === 'paid') {
    const wallets = await walletsByPaid(store, gateway, { tokenMint, limit, offset })
    return { items: await readSubscribers(store, gateway, wallets, rules), total: null, next: null }
  }
  const which = sort === 'newest' ? 'first' : 'last'
  const key = after === undefined ? undefined : (decodeEventCursor('time', after) ?? undefined)
  const { wallets, next } = await walletsByTime(store, gateway, which, { limit, after: key })
  return {
    items: await readSubscribers(store, gateway, wallets, rules),
    total: key === undefined ? await countSubscribers(store, gateway) : null,
    next: next && encodeEventCursor('time', next),
  }
}

/**
 * The wallets of a gateway that a filter names. By a state: all that have it, whether they paid or not; along the gateway's
 * policies, so the owner of the newest comes first, or for `ended` by wallet.
 */
export async function findSubscribers(
  store: Store,
  gateway: string,
  filter: SubscriberFilter,
  page: PageOfWallets,
  rules: CustomerRules,
): Promise<SubscriberPage> {
  if (filter.search !== undefined)
    return searchSubscribers(store, gateway, { ...filter, search: filter.search }, page, rules)
  if (filter.state === 'ended')
    return filter.neverPaid ? { items: [], total: 0n, next: null } : walkEnded(store, gateway, page, rules)
  if (filter.sort !== undefined && filter.sort !== 'wallet')
    return walkInOrder(store, gateway, filter, page, rules)
  if (filter.state !== undefined || filter.neverPaid) return walkPolicies(store, gateway, filter, page, rules)
  return listSubscribers(store, gateway, page, rules)
}
