// Wallets by their state: found along the policies of a gateway, or along the wallets that paid it. One request looks at
// `MOST_SCANNED` of them, so a page can hold fewer wallets than asked for and still have a next.
import { empty, sql, type Sql, type Store } from '../../core/database/sql.js'
import { EVENT_CURSORS, type PolicyKey } from '../cursors.js'
import { NEWEST_FIRST, newestOfGateway } from '../lists/newest-policies.js'
import { countPayers, hasPaid, listPayers, MOST_WALLETS, payersAfter } from './payers.js'
import type { PageOfWallets, WalletPage } from './payers.js'
import { readSubscribers, type Subscriber } from './read-subscribers.js'
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

export type SubscriberPage = Omit<WalletPage, 'wallets'> & { items: Subscriber[] }

interface WalkedRow {
  /** null for one that is not looked for */
  wallet: string | null
  /** the next statement begins after it */
  key: string
}

/**
 * Reads rows, `ROWS_AT_ONCE` a statement, until the page is full or `MOST_SCANNED` rows were read.
 * @param read reads the rows after a key
 * @param isCounted reads on after the page is full, so that the total is known
 */
async function walk(
  read: (after: string | undefined) => Promise<readonly WalkedRow[]>,
  { limit, offset, after }: PageOfWallets,
  isCounted = false,
): Promise<WalletPage> {
  const found: WalkedRow[] = []
  let [key, scanned, isLast] = [after, 0, false]
  while (!isLast && scanned <= MOST_SCANNED && (found.length <= offset + limit || isCounted)) {
    const rows = await read(key)
    found.push(...rows.filter(({ wallet }) => wallet !== null))
    scanned += rows.length
    isLast = rows.length < ROWS_AT_ONCE
    key = rows.at(-1)?.key ?? key
  }
  const page = found.slice(offset, offset + limit)
  const isCut = found.length > offset + limit
  return {
    wallets: page.map(({ wallet }) => wallet!),
    total: after === undefined && isLast && found.length <= MOST_WALLETS ? BigInt(found.length) : null,
    next: (isCut ? page.at(-1)?.key : isLast ? null : key) ?? null,
  }
}

const readKey = (after: string | undefined): PolicyKey | null => {
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
function policiesAfter(
  gateway: string,
  { state, neverPaid }: SubscriberFilter,
  after: PolicyKey | null,
  rules: CustomerRules,
): Sql {
  const some = (live: Sql): Sql => newestOfGateway(gateway, live, { after, limit: ROWS_AT_ONCE })
  const isWanted = canBeIn(state, rules)
  const isLiving = state === 'overdue' || state === 'at_risk' || state === 'active'
  const isUnpaid = neverPaid === true || state === 'never_paid'
  return sql`
    select case when w.newest = p.address then
             case when ${state === undefined ? sql`true` : isIn(state, gateway, rules)}
                    ${isUnpaid ? sql`and not (${hasPaid(gateway, sql`o.owner`)})` : empty}
               then o.owner end end as wallet, p.created_at || '_' || p.address as key
      from (select * from (${some(sql`p.live`)} ${isLiving ? empty : sql`union all ${some(sql`not p.live`)}`}) p
             ${NEWEST_FIRST} limit ${ROWS_AT_ONCE}) p
      left join lateral (
        select owner from user_payments where address = p.user_payment and ${isWanted} limit 1) o on true
      left join lateral (${walletPolicies(gateway, sql`o.owner`, rules, isWanted)}) w on true
     ${NEWEST_FIRST}`
}

function walkPolicies(
  { database }: Store,
  gateway: string,
  filter: SubscriberFilter,
  page: PageOfWallets,
  rules: CustomerRules,
): Promise<WalletPage> {
  const after = readKey(page.after) === null ? undefined : page.after
  // Nearly all policies of a gateway are of active wallets: counting those would cost more than the page.
  const isCounted = after === undefined && filter.state !== 'active' && filter.state !== 'never_paid'
  const read = (key: string | undefined) =>
    database.read<WalkedRow>(policiesAfter(gateway, filter, readKey(key), rules))
  return walk(read, { ...page, after }, isCounted)
}

/** Wallets that paid and have nothing active any more, by wallet. */
const walkEnded = (
  { database }: Store,
  gateway: string,
  page: PageOfWallets,
  rules: CustomerRules,
): Promise<WalletPage> =>
  walk(
    after =>
      database.read<WalkedRow>(sql`
        select case when p.state is null then w.wallet end as wallet, w.wallet as key
          from (${payersAfter(gateway, after ?? '', ROWS_AT_ONCE)}) w
         cross join lateral (${walletPolicies(gateway, sql`w.wallet`, rules)}) p
         order by w.wallet`),
    page,
  )

async function walkInOrder(
  store: Store,
  gateway: string,
  { sort, tokenMint }: SubscriberFilter,
  { limit, offset, after }: PageOfWallets,
): Promise<WalletPage> {
  if (sort === 'paid') {
    const wallets = await walletsByPaid(store, gateway, { tokenMint, limit, offset })
    return { wallets, total: null, next: null }
  }
  const which = sort === 'newest' ? 'first' : 'last'
  const key = after === undefined ? undefined : (EVENT_CURSORS.time.read(after) ?? undefined)
  const { wallets, next } = await walletsByTime(store, gateway, which, { limit, after: key })
  const total = key === undefined ? await countPayers(store, gateway) : null
  return { wallets, total, next: next && EVENT_CURSORS.time.write(next) }
}

function walletsOf(
  store: Store,
  gateway: string,
  filter: SubscriberFilter,
  page: PageOfWallets,
  rules: CustomerRules,
): WalletPage | Promise<WalletPage> {
  if (filter.state === 'ended')
    return filter.neverPaid ? { wallets: [], total: 0n, next: null } : walkEnded(store, gateway, page, rules)
  if (filter.sort !== undefined && filter.sort !== 'wallet') return walkInOrder(store, gateway, filter, page)
  if (filter.state !== undefined || filter.neverPaid) return walkPolicies(store, gateway, filter, page, rules)
  return listPayers(store, gateway, page)
}

/**
 * The wallets of a gateway that pass a filter. Without a filter, these are the wallets that paid the gateway. A state selects wallets that
 * never paid too. Their order is that of the gateway's newest policies, or for the state `ended`, that of the wallets.
 */
export async function findSubscribers(
  store: Store,
  gateway: string,
  filter: SubscriberFilter,
  page: PageOfWallets,
  rules: CustomerRules,
): Promise<SubscriberPage> {
  const { search } = filter
  if (search !== undefined) return searchSubscribers(store, gateway, { ...filter, search }, page, rules)
  const { wallets, total, next } = await walletsOf(store, gateway, filter, page, rules)
  return { items: await readSubscribers(store, gateway, wallets, rules), total, next }
}
