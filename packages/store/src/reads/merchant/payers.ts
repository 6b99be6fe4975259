// The wallets that paid a gateway, found by stepping over an index.
import type { Store } from '../../core/database/open-store.js'
import { sql, type Sql } from '../../core/database/sql.js'

/** The condition of events_gateway_payers. */
export const isPaid = (gateway: string): Sql => sql`
  e.gateway = ${gateway} and e.amount is not null and e.payer is not null and e.retracted_at is null`

/**
 * Whether a wallet ever paid a gateway. One probe of events_gateway_payers: Postgres would answer `exists` for many wallets by
 * reading all payments of the gateway.
 */
export const hasPaid = (gateway: string, wallet: Sql): Sql => sql`
  (select true from events e where ${isPaid(gateway)} and e.payer = ${wallet} limit 1) is not null`

const nextPayer = (gateway: string, after: Sql): Sql => sql`
  select e.payer from events e where ${isPaid(gateway)} and e.payer > ${after} order by e.payer limit 1`

/** Steps from wallet to wallet: one probe of events_gateway_payers each. @param most wallets to find */
export const payersAfter = (gateway: string, after: string, most: number): Sql => sql`
  with recursive steps as (
    select (${nextPayer(gateway, sql`${after}`)}) as wallet, 1 as step
     union all
    select (${nextPayer(gateway, sql`s.wallet`)}), s.step + 1 from steps s
     where s.wallet is not null and s.step < ${most}::int
  ) select wallet from steps where wallet is not null`

/** Wallets that are asked for their tokens, and the newest payments of each that are looked at. */
const ASKED_WALLETS = 1_000
const ASKED_PAYMENTS = 100

/**
 * How many wallets paid a gateway in each token: of its first 1,000 wallets, by the newest 100 payments of each. One wallet
 * counts once, however often it pays. Relies on events_gateway_payers.
 */
export async function countPayersByToken(
  { database }: Store,
  gateway: string,
): Promise<Map<string | null, bigint>> {
  const rows = await database.read<{ mint: string | null; payers: bigint }>(sql`
    select t.token_mint as mint, count(*) as payers
      from (${payersAfter(gateway, '', ASKED_WALLETS)}) w
     cross join lateral (
       select distinct e.token_mint from (
         select e.token_mint from events e
          where ${isPaid(gateway)} and e.payer = w.wallet
          order by e.paid_at desc limit ${ASKED_PAYMENTS}) e) t
     group by 1`)
  return new Map(rows.map(({ mint, payers }) => [mint, payers]))
}
