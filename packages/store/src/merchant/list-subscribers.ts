// The wallets that paid a gateway, and the owners of its policies who never did. No statement reads all payments or all
// policies of a gateway: wallets are found by stepping over an index, and every search has a bound.
import type { Store } from '../database/open-store.js'
import { empty, sql, type Sql } from '../database/sql.js'

/** The payments of a wallet in one token. */
export interface SubscriberToken {
  tokenMint: string | null
  paymentCount: bigint
  totalPaid: bigint
}

export interface Subscriber {
  wallet: string
  /** at most `MOST_POLICIES` */
  policyCount: bigint
  /** Unix seconds of the last payment; null without one */
  lastActiveAt: bigint | null
  /** most payments first, at most `MOST_TOKENS` */
  byToken: SubscriberToken[]
  /** false: only the newest `MOST_PAYMENTS` payments are counted, or there are more tokens */
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

/** Policies of a wallet that are counted, and payments of a wallet that are added up. */
const MOST_POLICIES = 1_000
const MOST_PAYMENTS = 10_000
/** Tokens of a wallet: it can pay each payment in another. */
const MOST_TOKENS = 100
/** Wallets of one statement, which reads all their counted payments. */
const WALLETS_AT_ONCE = 5
/** Wallets that `total` counts, and policies that one request looks at for wallets that never paid. */
const MOST_WALLETS = 10_000

interface Row {
  wallet: string
  policies: bigint
  /** null for a wallet without payments */
  tokenMint: string | null
  paymentCount: bigint | null
  total: string | null
  /** of all tokens */
  last: bigint | null
  complete: boolean | null
}

/** The condition of events_gateway_payers. */
const isPaid = (gateway: string): Sql => sql`
  e.gateway = ${gateway} and e.amount is not null and e.payer is not null and e.retracted_at is null`

const nextPayer = (gateway: string, after: Sql): Sql => sql`
  select e.payer from events e where ${isPaid(gateway)} and e.payer > ${after} order by e.payer limit 1`

/** Steps from wallet to wallet: one probe of events_gateway_payers each. @param most wallets to find */
const payersAfter = (gateway: string, after: string, most: number): Sql => sql`
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

/** What is known of some wallets, one row for each token. */
const describe = (gateway: string, wallets: readonly string[]): Sql => sql`
  select w.wallet, p.policies, t.token_mint as "tokenMint", t.payments as "paymentCount", t.total::text as total, t.last,
         t.complete
    from unnest(${[...wallets]}::text[]) as w (wallet)
   cross join lateral (
     select count(*) as policies from (
       select from user_payments u join policies p on p.user_payment = u.address
        where u.owner = w.wallet and p.gateway = ${gateway} limit ${MOST_POLICIES}) p) p
    left join lateral (
     select e.token_mint, count(*) as payments, sum(e.amount) as total, max(max(e.paid_at)) over () as last,
            sum(count(*)) over () < ${MOST_PAYMENTS} and count(*) over () <= ${MOST_TOKENS} as complete
       from (
       select e.token_mint, e.amount, e.paid_at from events e
        where ${isPaid(gateway)} and e.payer = w.wallet
        order by e.paid_at desc limit ${MOST_PAYMENTS}) e
      group by e.token_mint order by payments desc, e.token_mint limit ${MOST_TOKENS}) t on true
   order by w.wallet, t.payments desc, t.token_mint`

async function readSubscribers(
  database: Store['database'],
  gateway: string,
  wallets: readonly string[],
): Promise<Map<string, Subscriber>> {
  const items = new Map<string, Subscriber>()
  for (let from = 0; from < wallets.length; from += WALLETS_AT_ONCE) {
    const rows = await database.read<Row>(describe(gateway, wallets.slice(from, from + WALLETS_AT_ONCE)))
    for (const { wallet, policies: policyCount, tokenMint, paymentCount, total, last, complete } of rows) {
      const known = { wallet, policyCount, lastActiveAt: last, byToken: [], complete: complete ?? true }
      const subscriber: Subscriber = items.get(wallet) ?? known
      items.set(wallet, subscriber)
      if (paymentCount !== null)
        subscriber.byToken.push({ tokenMint, paymentCount, totalPaid: BigInt(total!) })
    }
  }
  return items
}

/**
 * The distinct wallets that paid a gateway, direct transfers too, by wallet. Retracted payments and payments whose payer
 * is not known yet do not count. Relies on events_gateway_payers, user_payments by owner and policies by user payment. An
 * offset takes a probe for each wallet that it skips: 290,000 take some two seconds of one core, and no lock. A cursor costs
 * the same at any place.
 */
export async function listSubscribers(
  { database }: Store,
  gateway: string,
  { limit, offset, after = '' }: PageOfWallets,
): Promise<SubscriberPage> {
  const page = sql`${payersAfter(gateway, after, offset + limit)} order by wallet offset ${BigInt(offset)}`
  const [wallets, counts] = await Promise.all([
    database.read<{ wallet: string }>(page),
    database.read<{ count: bigint }>(
      sql`select count(*) from (${payersAfter(gateway, '', MOST_WALLETS + 1)}) w`,
    ),
  ])
  const described = await readSubscribers(
    database,
    gateway,
    wallets.map(({ wallet }) => wallet),
  )
  const items = [...described.values()]
  const count = counts[0]!.count
  return {
    items,
    total: count > MOST_WALLETS ? null : count,
    next: items.length === limit ? items.at(-1)!.wallet : null,
  }
}

interface WalkedRow {
  wallet: string | null
  createdAt: bigint
  address: string
}

const readKey = (after: string | undefined): { createdAt: bigint; address: string } | null => {
  const [createdAt = '', address = ''] = after?.split('_') ?? []
  return /^-?\d{1,18}$/.test(createdAt) && address !== '' ? { createdAt: BigInt(createdAt), address } : null
}

/**
 * The distinct owners of a gateway's policies, deleted ones too, who never paid it; the owner of the newest policy first.
 * One request looks at `MOST_WALLETS` policies, so a page can hold fewer wallets than asked for and still have a next.
 * Relies on policies_gateway_live and policies_gateway_gone, each read backwards, and on events_gateway_payers.
 */
export async function listNeverPaid(
  { database }: Store,
  gateway: string,
  { limit, offset, after }: PageOfWallets,
): Promise<SubscriberPage> {
  const key = readKey(after)
  const behind = key ? sql`and (p.created_at, p.address) < (${key.createdAt}, ${key.address})` : empty
  const some = (live: Sql): Sql => sql`
    (select p.user_payment, p.created_at, p.address from policies p
      where p.gateway = ${gateway} and ${live} ${behind}
      order by p.created_at desc, p.address desc limit ${MOST_WALLETS + 1})`
  const walked = await database.read<WalkedRow>(sql`
    select case when not exists (select from events e where ${isPaid(gateway)} and e.payer = u.owner) then u.owner end
             as wallet, p.created_at as "createdAt", p.address
      from (select * from (${some(sql`p.live`)} union all ${some(sql`not p.live`)}) p
             order by p.created_at desc, p.address desc limit ${MOST_WALLETS + 1}) p
      left join user_payments u on u.address = p.user_payment
     order by p.created_at desc, p.address desc`)
  const seen = walked.slice(0, MOST_WALLETS)
  const found = await newestOnly(database, gateway, seen, key)
  const page = found.slice(offset, offset + limit)
  const isCut = found.length > offset + limit
  const last = isCut ? page.at(-1) : seen.at(-1)
  const wallets = page.map(({ wallet }) => wallet!)
  const described = await readSubscribers(database, gateway, wallets)
  return {
    items: wallets.map(wallet => described.get(wallet)!),
    total: key === null && walked.length <= MOST_WALLETS ? BigInt(found.length) : null,
    next: last && (isCut || walked.length > MOST_WALLETS) ? `${last.createdAt}_${last.address}` : null,
  }
}

/** Each wallet at its newest policy: a wallet that a page before held is left out. */
async function newestOnly(
  database: Store['database'],
  gateway: string,
  walked: readonly WalkedRow[],
  key: { createdAt: bigint; address: string } | null,
): Promise<WalkedRow[]> {
  const newest = new Map<string, WalkedRow>()
  for (const row of walked) if (row.wallet !== null && !newest.has(row.wallet)) newest.set(row.wallet, row)
  if (key === null || newest.size === 0) return [...newest.values()]
  const before = await database.read<{ wallet: string }>(sql`
    select w.wallet from unnest(${[...newest.keys()]}::text[]) as w (wallet)
     where exists (
       select from user_payments u join policies p on p.user_payment = u.address
        where u.owner = w.wallet and p.gateway = ${gateway}
          and (p.created_at, p.address) >= (${key.createdAt}, ${key.address}))`)
  for (const { wallet } of before) newest.delete(wallet)
  return [...newest.values()]
}
