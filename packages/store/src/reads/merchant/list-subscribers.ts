// The wallets that paid a gateway, with what each paid. No statement reads all payments or all policies of a gateway: wallets
// are found by stepping over an index, and every search has a bound.
import { sql, type Sql, type Store } from '../../core/database/sql.js'
import { nameOfCustomer } from '../../core/tables/customer-names.js'
import { isPaid, payersAfter } from './payers.js'
import { isAtRisk, walletPolicies, type CustomerRules, type SubscriberState } from './subscriber-state.js'

/** The payments of a wallet in one token. */
export interface SubscriberToken {
  tokenMint: string | null
  paymentCount: bigint
  totalPaid: bigint
}

export interface Subscriber {
  wallet: string
  /** what the gateway calls it */
  name: string | null
  state: SubscriberState
  /** at most `MOST_POLICIES` */
  policyCount: bigint
  /** it never had more than one-time policies, if any */
  isOneTime: boolean
  /** Unix seconds of the last payment; null without one */
  lastActiveAt: bigint | null
  /** addresses of its policies that wait for a payment, the earliest due first, at most 5 */
  due: readonly string[]
  /** most payments first, at most `MOST_TOKENS` */
  byToken: SubscriberToken[]
  /** false: only the newest `MOST_PAYMENTS` payments are counted, or there are more tokens or policies */
  complete: boolean
}

export interface SubscriberPage {
  items: Subscriber[]
  /** of all pages; null beyond `MOST_WALLETS` wallets */
  total: bigint | null
  /** where the next page begins; null on the last page */
  next: string | null
}

export interface PageOfWallets {
  limit: number
  offset: number
  /** `next` of the page before */
  after?: string | undefined
}

/** Payments of a wallet that are added up. */
const MOST_PAYMENTS = 10_000
/** Tokens of a wallet: it can pay each payment in another. */
const MOST_TOKENS = 100
/** Wallets of one statement, which reads all their counted payments. */
const WALLETS_AT_ONCE = 5
/** Wallets that `total` counts. */
export const MOST_WALLETS = 10_000

interface SubscriberRow {
  wallet: string
  name: string | null
  policies: bigint
  subscriptions: bigint
  /** null for none */
  due: string[] | null
  state: SubscriberState | null
  /** null for a wallet without payments */
  tokenMint: string | null
  paymentCount: bigint | null
  total: string | null
  /** of all tokens */
  last: bigint | null
  complete: boolean | null
  hasAllPolicies: boolean
}

/** What is known of some wallets, one row for each token. */
const describe = (gateway: string, wallets: readonly string[], rules: CustomerRules): Sql => sql`
  select w.wallet, p.due, p.subscriptions, ${nameOfCustomer(gateway, sql`w.wallet`)} as name, p.policies, p.complete as "hasAllPolicies", r.state, t.token_mint as "tokenMint",
         t.payments as "paymentCount", t.total::text as total, t.last, t.complete
    from unnest(${[...wallets]}::text[]) as w (wallet)
   cross join lateral (${walletPolicies(gateway, sql`w.wallet`, rules)}) p
   cross join lateral (
     select case when p.state = 'active' and ${isAtRisk(gateway, sql`w.wallet`, rules)} then 'at_risk' else p.state end as state) r
    left join lateral (
     select e.token_mint, count(*) as payments, sum(e.amount) as total, max(max(e.paid_at)) over () as last,
            sum(count(*)) over () < ${MOST_PAYMENTS} and count(*) over () <= ${MOST_TOKENS} as complete
       from (
       select e.token_mint, e.amount, e.paid_at from events e
        where ${isPaid(gateway)} and e.payer = w.wallet
        order by e.paid_at desc limit ${MOST_PAYMENTS}) e
      group by e.token_mint order by payments desc, e.token_mint limit ${MOST_TOKENS}) t on true
   order by w.wallet, t.payments desc, t.token_mint`

/** In the order of the wallets. */
export async function readSubscribers(
  { database }: Store,
  gateway: string,
  wallets: readonly string[],
  rules: CustomerRules,
): Promise<Subscriber[]> {
  const items = new Map<string, Subscriber>()
  for (let from = 0; from < wallets.length; from += WALLETS_AT_ONCE) {
    const rows = await database.read<SubscriberRow>(
      describe(gateway, wallets.slice(from, from + WALLETS_AT_ONCE), rules),
    )
    for (const row of rows) {
      const { wallet, name, tokenMint, paymentCount, total } = row
      const subscriber: Subscriber = items.get(wallet) ?? {
        wallet,
        name,
        state: row.state ?? (paymentCount === null ? 'never_paid' : 'ended'),
        policyCount: row.policies,
        isOneTime: row.subscriptions === 0n,
        due: row.due ?? [],
        lastActiveAt: row.last,
        byToken: [],
        complete: (row.complete ?? true) && row.hasAllPolicies,
      }
      items.set(wallet, subscriber)
      if (paymentCount !== null)
        subscriber.byToken.push({ tokenMint, paymentCount, totalPaid: BigInt(total!) })
    }
  }
  return wallets.map(wallet => items.get(wallet)!)
}

/** How many distinct wallets paid a gateway; null beyond `MOST_WALLETS`. */
export async function countSubscribers({ database }: Store, gateway: string): Promise<bigint | null> {
  const rows = await database.read<{ count: bigint }>(
    sql`select count(*) from (${payersAfter(gateway, '', MOST_WALLETS + 1)}) w`,
  )
  const count = rows[0]!.count
  return count > MOST_WALLETS ? null : count
}

/**
 * The distinct wallets that paid a gateway, direct transfers too, by wallet. Retracted payments and payments whose payer
 * is not known yet do not count. Relies on events_gateway_payers, user_payments by owner and policies by user payment. An
 * offset takes a probe for each wallet that it skips: 290,000 take some two seconds of one core, and no lock. A cursor costs
 * the same on any page.
 */
export async function listSubscribers(
  store: Store,
  gateway: string,
  { limit, offset, after = '' }: PageOfWallets,
  rules: CustomerRules,
): Promise<SubscriberPage> {
  const page = sql`${payersAfter(gateway, after, offset + limit)} order by wallet offset ${BigInt(offset)}`
  const [wallets, total] = await Promise.all([
    store.database.read<{ wallet: string }>(page),
    countSubscribers(store, gateway),
  ])
  const items = await readSubscribers(
    store,
    gateway,
    wallets.map(({ wallet }) => wallet),
    rules,
  )
  return {
    items,
    total,
    next: items.length === limit ? items.at(-1)!.wallet : null,
  }
}
