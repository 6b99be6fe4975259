// The payments of a gateway by cohort: the wallets whose first payment in a token was in one month.
import { sql, type Store } from '../../core/database/sql.js'
import { isPaid, payersAfter } from './payers.js'

/** What wallets of one cohort paid in one month. */
export interface PaidMonth {
  tokenMint: string | null
  /** of the first payment of each in the token: months since January 1970, in UTC */
  cohort: number
  /** likewise */
  month: number
  /** that paid in the month */
  wallets: bigint
  amount: bigint
  /** of payments */
  count: bigint
  /** false: a wallet has more than `MOST_PAYMENTS` payments, of which so many are counted */
  complete: boolean
}

interface PaidMonthRow extends PaidMonth {
  lastWallet: string
  /** of the page */
  read: bigint
}

/** Wallets of a statement, and payments of a wallet that are counted. */
const WALLETS_AT_ONCE = 100
const MOST_PAYMENTS = 10_000
/** 9999-12-31T23:59:59Z */
const LAST_SECOND = 253_402_300_799n

/**
 * What the wallets paid a gateway, by token, cohort and month, and in the order of the wallets. Read in pages of wallets, so that
 * no statement grows with their number; a wallet is in one page. Nothing is read in an order of payments: Postgres would sort all of
 * a gateway for each page. Relies on events_gateway_payers.
 */
export async function* readPaidMonths(
  { database }: Store,
  gateway: string,
): AsyncGenerator<readonly PaidMonth[], void> {
  for (let after = '', isLast = false; !isLast;) {
    const rows = await database.read<PaidMonthRow>(sql`
      with wallets as (${payersAfter(gateway, after, WALLETS_AT_ONCE)})
      select p.token_mint as "tokenMint", p.cohort, p.month, count(*) as wallets, sum(p.amount) as amount,
             sum(p.count)::bigint as count, bool_and(p.complete) as complete,
             (select max(wallet) from wallets) as "lastWallet", (select count(*) from wallets) as read
        from (
          select w.wallet, t.*, min(t.month) over (partition by w.wallet, t.token_mint) as cohort
            from wallets w
           cross join lateral (
             select e.token_mint, sum(e.amount) as amount, count(*) as count,
                    sum(count(*)) over () < ${MOST_PAYMENTS} as complete,
                    (extract(year from e.at) * 12 + extract(month from e.at) - 23641)::int as month
               from (select e.token_mint, e.amount,
                            to_timestamp(least(greatest(e.paid_at, 0), ${LAST_SECOND})) at time zone 'UTC' as at
                       from events e
                      where ${isPaid(gateway)} and e.payer = w.wallet limit ${MOST_PAYMENTS}) e
              group by e.token_mint, month) t) p
       group by p.token_mint, p.cohort, p.month
       order by min(p.wallet), p.month`)
    yield rows
    isLast = Number(rows[0]?.read ?? 0) < WALLETS_AT_ONCE
    after = rows[0]?.lastWallet ?? after
  }
}
