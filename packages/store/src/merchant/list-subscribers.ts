import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { POLICY_MINT } from '../policy-rows.js'

/** The payments of a wallet in one token, in the present incarnations of its policies. */
export interface SubscriberToken {
  tokenMint: string | null
  paymentCount: bigint
  totalPaid: bigint
}

export interface Subscriber {
  wallet: string
  policyCount: bigint
  /** Unix seconds of the last payment; null without one */
  lastActiveAt: bigint | null
  /** most payments first */
  byToken: SubscriberToken[]
}

interface Row {
  wallet: string
  tokenMint: string | null
  policies: bigint
  paymentCount: bigint
  total: string
  last: bigint | null
  allWallets: bigint
}

/**
 * Wallets that own policies of a gateway, by latest payment first.
 * Relies on policies_gateway_live and policies_gateway_gone; reads every policy of the gateway.
 */
export async function listSubscribers(
  { database }: Store,
  gateway: string,
  page: { limit: number; offset: number },
): Promise<{ items: Subscriber[]; total: bigint }> {
  const rows = await database.read<Row>(sql`
    with tokens as (
      select u.owner as wallet, ${POLICY_MINT} as token_mint, count(*) as policies,
             sum(p.payment_count)::bigint as payments, sum(p.total_paid) as total,
             max(p.last_paid_at) filter (where p.payment_count > 0) as last
        from (select * from policies where gateway = ${gateway} and live union all
              select * from policies where gateway = ${gateway} and not live) p
        join user_payments u on u.address = p.user_payment
       where u.owner is not null
       group by 1, 2
    ), wallets as (
      select wallet, max(last) as last, count(*) over () as all_wallets
        from tokens group by wallet
       order by max(last) desc nulls last, wallet
       limit ${page.limit} offset ${BigInt(page.offset)}
    )
    select t.wallet, t.token_mint as "tokenMint", t.policies, t.payments as "paymentCount", t.total::text as total,
           w.last, w.all_wallets as "allWallets"
      from wallets w join tokens t on t.wallet = w.wallet
     order by w.last desc nulls last, t.wallet, t.payments desc, t.token_mint`)
  const items = new Map<string, Subscriber>()
  for (const { wallet, tokenMint, policies, paymentCount, total, last } of rows) {
    const subscriber = items.get(wallet) ?? { wallet, policyCount: 0n, lastActiveAt: last, byToken: [] }
    subscriber.policyCount += policies
    subscriber.byToken.push({ tokenMint, paymentCount, totalPaid: BigInt(total) })
    items.set(wallet, subscriber)
  }
  return { items: [...items.values()], total: rows[0]?.allWallets ?? 0n }
}
