// The wallets that paid a gateway, found by stepping over an index.
import { sql, type Sql, type Store } from '../../core/database/sql.js'
import { policiesOfWallet } from '../lists/policies-of-wallet.js'

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

export interface PageOfWallets {
  limit: number
  offset: number
  /** `next` of the page before */
  after?: string | undefined
}

export interface WalletPage {
  wallets: readonly string[]
  /** of all pages; null beyond `MOST_WALLETS` wallets, and where it is not counted */
  total: bigint | null
  /** where the next page begins; null on the last page */
  next: string | null
}

/** Wallets that `total` counts. */
export const MOST_WALLETS = 10_000

/** How many distinct wallets paid a gateway; null beyond `MOST_WALLETS`. */
export async function countPayers({ database }: Store, gateway: string): Promise<bigint | null> {
  const [row] = await database.read<{ count: bigint }>(
    sql`select count(*) from (${payersAfter(gateway, '', MOST_WALLETS + 1)}) w`,
  )
  return row!.count > MOST_WALLETS ? null : row!.count
}

/**
 * The distinct wallets that paid a gateway, direct transfers too, by wallet. Retracted payments and payments whose payer
 * is not known yet do not count. An offset takes a probe for each wallet that it skips: 290,000 take some two seconds of one
 * core, and no lock. A cursor costs the same on any page.
 */
export async function listPayers(
  store: Store,
  gateway: string,
  { limit, offset, after = '' }: PageOfWallets,
): Promise<WalletPage> {
  const [rows, total] = await Promise.all([
    store.database.read<{ wallet: string }>(
      sql`${payersAfter(gateway, after, offset + limit)} order by wallet offset ${BigInt(offset)}`,
    ),
    countPayers(store, gateway),
  ])
  const wallets = rows.map(({ wallet }) => wallet)
  return { wallets, total, next: wallets.length === limit ? wallets.at(-1)! : null }
}

/** Whether a wallet paid a gateway or has a policy of it. Relies on events_gateway_payers and `policiesOfWallet`. */
export const hasDealtWith = (gateway: string, wallet: string): Sql => sql`
  (${hasPaid(gateway, sql`${wallet}`)} or exists (${policiesOfWallet(wallet, sql`q.gateway = ${gateway}`)}))`

/** Whether a wallet is a customer of a gateway. */
export async function isCustomer({ database }: Store, gateway: string, wallet: string): Promise<boolean> {
  const [row] = await database.read<{ is: boolean }>(sql`select ${hasDealtWith(gateway, wallet)} as is`)
  return row!.is
}

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
