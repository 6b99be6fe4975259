// The wallets that paid a gateway in another order than by wallet. No index has these orders, so one request looks at a bounded number
// of payments, the newest first: a page can hold fewer wallets than asked for and still have a next.
import { raw, sql, type Sql, type Store } from '../../core/database/sql.js'
import type { EventKey } from '../cursors.js'
import {
  endOfPage,
  KEY,
  newestPayments,
  SCANNED_FOR_PAGE,
  SCANNED_FOR_SUMS,
  WALKED,
} from './newest-payments.js'
import { isPaid } from './payers.js'

/** By wallet; by the first payment of each, or by the last, newest first; by what each paid in one token, most first. */
export const SUBSCRIBER_ORDERS = ['wallet', 'newest', 'last_payment', 'paid'] as const
export type SubscriberOrder = (typeof SUBSCRIBER_ORDERS)[number]

const scanned = (gateway: string, after: EventKey | undefined, most: number): Sql =>
  newestPayments(gateway, sql`e.amount is not null and e.payer is not null and e.retracted_at is null`, {
    after,
    most,
  })

/**
 * Wallets by the time of one of their payments, which is where they stand: the first or the last by its own time. Whether a payment
 * is that one is asked for each payment that is looked at: one probe of events_gateway_payers. In the order of the walk, so that a
 * full page looks no further.
 */
export async function walletsByTime(
  store: Store,
  gateway: string,
  which: 'first' | 'last',
  { limit, after }: { limit: number; after: EventKey | undefined },
): Promise<{ wallets: string[]; next: EventKey | null }> {
  const payments = scanned(gateway, after, SCANNED_FOR_PAGE)
  const found = await store.database.read<EventKey & { wallet: string }>(sql`
    select e.payer as wallet, ${KEY}
      from (${payments}) e
     cross join lateral (
       select o.id from (select e.payer as of) w
        cross join lateral (
          select e.id from events e where ${isPaid(gateway)} and e.payer = w.of
           order by e.paid_at ${raw(which === 'first' ? '' : 'desc')} limit 1) o) o
     where o.id = e.id
     ${WALKED} limit ${limit}`)
  const end = found.length < limit ? await endOfPage(store, payments) : found.at(-1)
  return { wallets: found.map(({ wallet }) => wallet), next: end ?? null }
}

/**
 * Wallets by what they paid in one token, most first, among the newest 100,000 payments of the gateway.
 * @param tokenMint none: the token with most of these payments
 */
export async function walletsByPaid(
  { database }: Store,
  gateway: string,
  { tokenMint, limit, offset }: { tokenMint: string | undefined; limit: number; offset: number },
): Promise<string[]> {
  const mint =
    tokenMint === undefined
      ? sql`(select token_mint from scanned group by token_mint order by count(*) desc, token_mint limit 1)`
      : sql`${tokenMint}::text`
  const rows = await database.read<{ wallet: string }>(sql`
    with scanned as materialized (
      select e.payer, e.token_mint, e.amount from (${scanned(gateway, undefined, SCANNED_FOR_SUMS)}) e)
    select s.payer as wallet from scanned s
     where s.token_mint is not distinct from ${mint}
     group by s.payer order by sum(s.amount) desc, s.payer limit ${limit} offset ${BigInt(offset)}`)
  return rows.map(({ wallet }) => wallet)
}
