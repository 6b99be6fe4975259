// Whether the due payments of policies can execute: `dueRiskOf` over what is stored.
import {
  derivePaymentsDelegate,
  dueRiskOf,
  SEEN_SECONDS,
  UNWATCHED,
  WATCHED_SECONDS,
  type DueRisk,
} from '@payment-tracking/domain'
import type { RunStatement } from '../database/database.js'
import type { Store } from '../database/open-store.js'
import { inline, raw, sql, type Sql } from '../database/sql.js'
import { POLICY_MINT, WITH_USER_PAYMENT } from '../rows/policies.js'
import { newestFact } from './program-facts.js'

/** The statement's own second. */
export const NOW = sql`floor(extract(epoch from statement_timestamp()))::bigint`

/** The policy `p` waits for a payment of one amount at one date: a subscription, or a one-time policy. */
export const isWaiting = (p: Sql): Sql => sql`
  ${p}.live and ${p}.status = 'active' and ${p}.due_at is not null and (${p}.ends_at is null or ${p}.ends_at > ${NOW})`

/** The accounts that the payment of `p` needs are read. */
export const isWatched = (p: Sql): Sql => sql`${p}.due_at <= ${NOW} + ${inline(WATCHED_SECONDS)}`

/** Policies of one account that are added up, the newest: anybody can make any number of policies of his own. */
const MOST_OF_ACCOUNT = raw('1000')

/** The amount of one payment of a policy, a u64; null where the type has none. */
const amountOf = (p: Sql): Sql =>
  sql`coalesce(${p}.policy_type -> 'Subscription' ->> 'amount', ${p}.policy_type -> 'OneTime' ->> 'amount')::numeric`

interface Row {
  address: string
  isWatched: boolean
  amount: string | null
  together: string | null
  mint: string | null
  paused: string | null
  slot: bigint | null
  checkedAt: Date | null
  age: number
  exists: boolean
  accountMint: string | null
  balance: string | null
  delegate: string | null
  allowance: string | null
  frozen: boolean
  recipientMissing: boolean | null
  feeMissing: boolean | null
  protocolFeeMissing: boolean | null
}

/**
 * Whether a wallet has no token account of the policy's mint, as far as it was seen lately. Relies on token_accounts_owner.
 * A wallet has one account in use of a mint, so a few rows are enough.
 */
const isMissing = (owner: Sql): Sql => sql`
  (select not bool_or(w.is_there)
     from (select w.is_there from token_accounts w
            where w.owner = ${owner} and w.mint = d.mint
              and w.checked_at > statement_timestamp() - make_interval(secs => ${inline(SEEN_SECONDS)})
            limit 10) w)`

/**
 * SQL for a `with` clause. Its table `fact` has a row for each policy in `asked`: what the policy's next payment needs, and what the
 * nodes said of the accounts. The payments that one account owes are summed once, over at most 1,000 policies of the account.
 * `asked` and `together` are united and grouped, because Postgres may plan a join of the two as a loop over all pairs.
 * Uses policies_user_payment_idx and the primary keys.
 * @param asked the part of a statement after `from`, with policies as `p` and `WITH_USER_PAYMENT`
 * @param gatewayFee SQL for the wallet that receives the gateway's fee: `ofRow` for policies of several gateways, where it may name
 *   the policy's row `d`; `ofAll` for policies of one gateway, where it is read once
 */
export const factsOf = (asked: Sql, gatewayFee: { ofRow?: Sql; ofAll?: Sql }): Sql => sql`
  asked as materialized (
    select p.address, p.user_payment, p.recipient, p.gateway, p.due_at, ${POLICY_MINT} as mint, u.token_account,
           ${amountOf(sql`p`)} as amount
      from ${asked}
  ), together as (
    select q.address, sum(q.amount) over (partition by k.user_payment order by greatest(q.due_at, ${NOW})) as together
      from (select distinct p.user_payment from asked p where ${isWatched(sql`p`)}) k
     cross join lateral (
       select q.address, q.due_at, q.live, q.status, q.ends_at, ${amountOf(sql`q`)} as amount
         from (select * from policies q where q.user_payment = k.user_payment
                order by q.created_at desc, q.address desc limit ${MOST_OF_ACCOUNT}) q) q
     where ${isWaiting(sql`q`)} and ${isWatched(sql`q`)}
  ), need as materialized (
    select address, max(recipient) as recipient, max(gateway) as gateway, max(due_at) as due_at, max(mint) as mint,
           max(token_account) as token_account, max(amount) as amount, max(together) as together
      from (select address, recipient, gateway, due_at, mint, token_account, amount, null::numeric as together from asked
            union all
            select address, null, null, null, null, null, null, together from together) k
     group by address having max(due_at) is not null
  ), program as materialized (
    select ${newestFact('paused', sql`''`)} as paused, ${newestFact('fee_recipient', sql`''`)} as fee_recipient,
           ${gatewayFee.ofAll ?? sql`null::text`} as gateway_fee_recipient
  ), fact as (
    select d.address, d.due_at, ${isWatched(sql`d`)} as is_watched, d.mint, x.paused, d.amount, d.together, a.slot, a.checked_at,
           extract(epoch from statement_timestamp() - a.checked_at)::float8 as age, a.is_there, a.mint as account_mint,
           a.balance, a.delegate, a.allowance, a.frozen, ${isMissing(sql`d.recipient`)} as recipient_missing,
           ${isMissing(gatewayFee.ofRow ?? sql`x.gateway_fee_recipient`)} as fee_missing,
           ${isMissing(sql`x.fee_recipient`)} as protocol_fee_missing
      from need d
     cross join program x
      left join token_accounts a on a.address = d.token_account
  )`

/**
 * The risk of each policy that waits for a payment; the others have none.
 * @param run in a transaction that holds the rows of the policies, or a read
 */
export async function readDueRisks(
  run: RunStatement,
  addresses: readonly string[],
  programId: string,
): Promise<Map<string, DueRisk>> {
  if (addresses.length === 0) return new Map()
  const asked = sql`policies p ${WITH_USER_PAYMENT}
       where p.address = any(${[...addresses]}::text[]) and ${isWaiting(sql`p`)}`
  const rows = await run<Row>(sql`
    with ${factsOf(asked, { ofRow: newestFact('fee_recipient', sql`d.gateway`) })}
    select f.address, f.is_watched as "isWatched", f.mint, f.paused, f.amount::text as amount, f.together::text as together,
           f.slot, f.checked_at as "checkedAt", f.age, f.is_there as exists, f.account_mint as "accountMint",
           f.balance::text as balance, f.delegate, f.allowance::text as allowance, f.frozen,
           f.recipient_missing as "recipientMissing", f.fee_missing as "feeMissing",
           f.protocol_fee_missing as "protocolFeeMissing"
      from fact f`)
  const delegate = derivePaymentsDelegate(programId)
  return new Map(rows.map(row => [row.address, toRisk(row, delegate)]))
}

function toRisk(row: Row, delegate: string): DueRisk {
  if (!row.isWatched || row.amount === null) return UNWATCHED
  const amount = BigInt(row.amount)
  const integer = (text: string | null) => (text === null ? null : BigInt(text))
  return dueRiskOf({
    amount,
    mint: row.mint,
    delegate,
    dueTogether: integer(row.together) ?? amount,
    programPaused: row.paused === 'true',
    account:
      row.slot === null
        ? null
        : {
            slot: row.slot,
            checkedAt: row.checkedAt!,
            age: row.age,
            exists: row.exists,
            mint: row.accountMint,
            balance: integer(row.balance),
            delegate: row.delegate,
            allowance: integer(row.allowance),
            frozen: row.frozen,
          },
    recipientMissing: row.recipientMissing ?? false,
    feeAccountMissing: (row.feeMissing ?? false) || (row.protocolFeeMissing ?? false),
  })
}

/** Policies that one statement judges. */
const JUDGED_AT_ONCE = 1_000

/** As `readDueRisks`, for an answer that shows policies. */
export async function findDueRisks(
  { database }: Store,
  addresses: readonly string[],
  programId: string,
): Promise<Map<string, DueRisk>> {
  const risks = new Map<string, DueRisk>()
  for (let from = 0; from < addresses.length; from += JUDGED_AT_ONCE) {
    const some = addresses.slice(from, from + JUDGED_AT_ONCE)
    for (const [address, risk] of await readDueRisks(database.read, some, programId)) risks.set(address, risk)
  }
  return risks
}
