// The payments of a gateway by wallet, as cohorts need them.
import type { Store } from '../../core/database/open-store.js'
import { sql } from '../../core/database/sql.js'
import { isPaid, payersAfter } from './payers.js'

/** What a wallet paid in one token in one month. */
export interface PaidMonth {
  wallet: string
  tokenMint: string | null
  /** months since January 1970, in UTC */
  month: number
  amount: bigint
  /** of payments */
  count: bigint
  /** false: the wallet has more than `MOST_PAYMENTS` payments, of which so many are counted */
  complete: boolean
}

/** Wallets of a statement, and payments of a wallet that are counted. */
const WALLETS_AT_ONCE = 100
const MOST_PAYMENTS = 10_000
/** 9999-12-31T23:59:59Z */
const LAST_SECOND = 253_402_300_799n

/**
 * What each wallet paid a gateway, by month and token, wallet by wallet, the oldest month first. Read in pages of wallets, so that
 * no statement grows with their number; a wallet is in one page. Nothing is read in an order of payments: Postgres would sort all of
 * a gateway for each page. Relies on events_gateway_payers.
 */
export async function* readPaidMonths(
  { database }: Store,
  gateway: string,
): AsyncGenerator<readonly PaidMonth[], void> {
  for (let after = '', isLast = false; !isLast;) {
    const rows = await database.read<Omit<PaidMonth, 'amount'> & { amount: string; wallets: bigint }>(sql`
      with wallets as (${payersAfter(gateway, after, WALLETS_AT_ONCE)})
      select w.wallet, t.token_mint as "tokenMint", t.month, t.amount::text as amount, t.count, t.complete,
             (select count(*) from wallets) as wallets
        from wallets w
       cross join lateral (
         select e.token_mint, sum(e.amount) as amount, count(*) as count,
                sum(count(*)) over () < ${MOST_PAYMENTS} as complete,
                (extract(year from e.at) * 12 + extract(month from e.at) - 23641)::int as month
           from (select e.token_mint, e.amount,
                        to_timestamp(least(greatest(e.paid_at, 0), ${LAST_SECOND})) at time zone 'UTC' as at
                   from events e
                  where ${isPaid(gateway)} and e.payer = w.wallet limit ${MOST_PAYMENTS}) e
          group by e.token_mint, month) t
       order by w.wallet, t.month`)
    yield rows.map(({ wallets: _, amount, ...row }) => ({ ...row, amount: BigInt(amount) }))
    isLast = Number(rows[0]?.wallets ?? 0) < WALLETS_AT_ONCE
    after = rows.at(-1)?.wallet ?? after
  }
}
