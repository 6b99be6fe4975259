// What a gateway knows of wallets. No statement reads all payments or all policies of a gateway.
import { sql, type Sql, type Store } from '../../core/database/sql.js'
import { nameOfCustomer } from '../../core/tables/customer-names.js'
import { isPaid } from './payers.js'
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

/** Payments of a wallet that are added up. */
const MOST_PAYMENTS = 10_000
/** Tokens of a wallet: it can pay each payment in another. */
const MOST_TOKENS = 100
/** Wallets of one statement, which reads all their counted payments. */
const WALLETS_AT_ONCE = 5

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
  totalPaid: bigint | null
  /** of all tokens */
  last: bigint | null
  complete: boolean | null
  hasAllPolicies: boolean
}

/** What is known of some wallets, one row for each token. */
const describe = (gateway: string, wallets: readonly string[], rules: CustomerRules): Sql => sql`
  select w.wallet, p.due, p.subscriptions, ${nameOfCustomer(gateway, sql`w.wallet`)} as name, p.policies, p.complete as "hasAllPolicies", r.state, t.token_mint as "tokenMint",
         t.payments as "paymentCount", t.total as "totalPaid", t.last, t.complete
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
      const { wallet, name, tokenMint, paymentCount, totalPaid } = row
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
      if (paymentCount !== null) subscriber.byToken.push({ tokenMint, paymentCount, totalPaid: totalPaid! })
    }
  }
  return wallets.map(wallet => items.get(wallet)!)
}
