// The payments of a gateway by wallet, as cohorts need them.
import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'
import { isPaid } from './payers.js'

/** What a wallet paid in one token in one month. */
export interface PaidMonth {
  wallet: string
  tokenMint: string | null
  /** months since January 1970, in UTC */
  month: number
  amount: bigint
  /** of payments */
  count: bigint
}

interface Row extends Omit<PaidMonth, 'amount'> {
  amount: string
  lastPaidAt: bigint
}

/** Payments of a statement, and those of the same second as its last. */
const PAYMENTS_AT_ONCE = 1_000
/** 9999-12-31T23:59:59Z */
const LAST_SECOND = 253_402_300_799n

/**
 * Reads the payments of a gateway in pages, by wallet and the payment's own time, added up by month: so that no statement grows
 * with their number. A month can be in two pages. Relies on events_gateway_payers, in whose order payments of a wallet and second
 * have none: a page ends with all of them.
 */
export async function* readPaidMonths(
  { database }: Store,
  gateway: string,
): AsyncGenerator<readonly PaidMonth[], void> {
  const columns = sql`e.payer, e.token_mint, e.amount, e.paid_at`
  let after = sql`true`
  for (;;) {
    const rows = await database.read<Row>(sql`
      with page as (
        select ${columns} from events e where ${isPaid(gateway)} and ${after}
         order by e.payer, e.paid_at limit ${PAYMENTS_AT_ONCE}
      ), last as (
        select payer, paid_at from page order by payer desc, paid_at desc limit 1
      )
      select e.payer as wallet, e.token_mint as "tokenMint", sum(e.amount)::text as amount, count(*) as count,
             (extract(year from e.at) * 12 + extract(month from e.at) - 23641)::int as month,
             max(e.paid_at) as "lastPaidAt"
        from (select e.*, to_timestamp(least(greatest(e.paid_at, 0), ${LAST_SECOND})) at time zone 'UTC' as at
                from (select e.* from page e, last l where (e.payer, e.paid_at) < (l.payer, l.paid_at)
                       union all
                      select ${columns} from last l
                       cross join lateral (
                         select * from events e
                          where ${isPaid(gateway)} and e.payer = l.payer and e.paid_at = l.paid_at) e) e) e
       group by e.payer, e.token_mint, month
       order by e.payer, "lastPaidAt"`)
    yield rows.map(({ lastPaidAt: _, amount, ...row }) => ({ ...row, amount: BigInt(amount) }))
    const last = rows.at(-1)
    if (!last || rows.reduce((sum, { count }) => sum + Number(count), 0) < PAYMENTS_AT_ONCE) return
    after = sql`(e.payer, e.paid_at) > (${last.wallet}, ${last.lastPaidAt})`
  }
}
