// Whether the due payments of policies can execute. Postgres judges: the same statement serves one record, the sums of a gateway,
// the states of customers, and the notices. So all of them agree, and none needs a row for each policy in this process. A policy is
// judged by all that is due up to its date, never by a guess of who is paid first. What is due already counts as due now.
import {
  derivePaymentsDelegate,
  RISK_CAUSES,
  SEEN_SECONDS,
  UNWATCHED,
  WATCHED_SECONDS,
  type DueRisk,
  type RiskCause,
} from '@payment-tracking/domain'
import { inline, join, raw, sql, type RunStatement, type Sql, type Store } from '../database/sql.js'
import { POLICY_MINT, WITH_USER_PAYMENT } from '../tables/policy-rows.js'
import { newestFact } from './program-facts.js'

/**
 * The statement's own second: what it judges, and when it looks again, follow from the same one. By `clock_timestamp()`, which moves
 * within a statement, Postgres searches no index.
 */
export const NOW = sql`floor(extract(epoch from statement_timestamp()))::bigint`

/** The policy `p` waits for a payment of one amount at one date: a subscription, or a one-time policy. */
export const isWaiting = (p: Sql): Sql => sql`
  ${p}.live and ${p}.status = 'active' and ${p}.due_at is not null and (${p}.ends_at is null or ${p}.ends_at > ${NOW})`

/** The accounts that the payment of `p` needs are read. */
export const isWatched = (p: Sql): Sql => sql`${p}.due_at <= ${NOW} + ${inline(WATCHED_SECONDS)}`

/** Policies of one account that are added up, the newest: anybody can make any number of policies of his own. */
const MOST_OF_ACCOUNT = raw('1000')

/** The amount of one payment of a policy, a u64; null where the type has none. */
export const amountOf = (p: Sql): Sql =>
  sql`coalesce(${p}.policy_type -> 'Subscription' ->> 'amount', ${p}.policy_type -> 'OneTime' ->> 'amount')::numeric`

const isFresh = (account: Sql): Sql =>
  sql`${account}.checked_at >= statement_timestamp() - make_interval(secs => ${inline(SEEN_SECONDS)})`

/**
 * What keeps a wallet from being paid in the policy's mint: `missing`, `frozen`, `unknown`, or null for nothing. The usual account
 * of a wallet can be missing while another one takes the payment: only a wallet without any is `missing`. Null also where nobody
 * ever looked, as of a publisher that reads payers alone. Relies on token_accounts_owner: a wallet has one account in use of a
 * mint, so a few rows are enough.
 */
const obstacleOf = (owner: Sql): Sql => sql`
  (select case when bool_or(w.is_fresh and (w.is_there and not w.frozen or w.others = 'usable')) then null
               when bool_or(w.is_fresh and (w.is_there or w.others = 'frozen')) then 'frozen'
               when bool_or(w.is_fresh and w.others = 'none') then 'missing'
               else 'unknown' end
     from (select w.is_there, w.frozen, w.others, ${isFresh(sql`w`)} as is_fresh from token_accounts w
            where w.owner = ${owner} and w.mint = d.mint
            order by w.checked_at desc limit 10) w
   having count(*) > 0)`

/** Whether each cause is seen for the fact `f`. An account that nobody saw lately is no cause. */
const holdsFor = (delegate: string): Readonly<Record<RiskCause, Sql>> => ({
  program_paused: sql`f.paused = 'true'`,
  account_missing: sql`f.is_fresh and (not f.is_there or f.account_mint <> f.mint)`,
  account_frozen: sql`f.is_fresh and f.frozen`,
  delegate_revoked: sql`f.is_fresh and f.delegate is distinct from ${delegate}`,
  insufficient_balance: sql`f.is_fresh and f.balance < f.together`,
  insufficient_allowance: sql`f.is_fresh and f.allowance < f.together`,
  recipient_account_missing: sql`f.recipient = 'missing'`,
  recipient_account_frozen: sql`'frozen' in (f.recipient, f.fee, f.protocol_fee)`,
  fee_account_missing: sql`'missing' in (f.fee, f.protocol_fee)`,
})

/** The first cause that is seen; null without one. */
function causeFor(programId: string): Sql {
  const holds = holdsFor(derivePaymentsDelegate(programId))
  const cases = RISK_CAUSES.map(cause => sql`when ${holds[cause]} then ${raw(`'${cause}'`)}`)
  return sql`case when not f.is_watched then null ${join(cases, ' ')} end`
}

/** Without a cause, `ok` needs all that a payment needs to be seen. */
const STATE = sql`
  case when c.cause is not null then 'at_risk'
       when f.is_watched and f.is_fresh and f.balance is not null
         and 'unknown' in (f.recipient, f.fee, f.protocol_fee) is not true then 'ok'
       else 'unknown' end`

export interface Judging {
  programId: string
  /**
   * SQL for the wallet that receives the gateway's fee: `ofRow` for policies of several gateways, where it may name the policy's
   * row `d`; `ofAll` for policies of one gateway, where it is read once
   */
  gatewayFee: { ofRow?: Sql; ofAll?: Sql }
}

/**
 * SQL for a `with` clause. Its table `risk` has a row for each policy in `asked`: the state, the cause, and what the nodes said of
 * the payer's account. The payments that one account owes are summed once, over at most 1,000 policies of the account.
 * `asked` and `together` are united and grouped, because Postgres may plan a join of the two as a loop over all pairs.
 * Uses policies_user_payment_idx, token_accounts_owner and the primary keys.
 * @param asked the part of a statement after `from`, with policies as `p` and `WITH_USER_PAYMENT`. Policies that do not wait have
 *   no risk: the caller leaves them out
 */
export const risksOf = (asked: Sql, { programId, gatewayFee }: Judging): Sql => sql`
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
           max(token_account) as token_account, max(amount) as amount, coalesce(max(together), max(amount)) as together
      from (select address, recipient, gateway, due_at, mint, token_account, amount, null::numeric as together from asked
            union all
            select address, null, null, null, null, null, null, together from together) k
     group by address having max(due_at) is not null
  ), program as materialized (
    select ${newestFact('paused', sql`''`)} as paused, ${newestFact('fee_recipient', sql`''`)} as fee_recipient,
           ${gatewayFee.ofAll ?? sql`null::text`} as gateway_fee_recipient
  ), fact as materialized (
    select d.address, d.due_at, ${isWatched(sql`d`)} and d.amount is not null as is_watched, d.mint, x.paused, d.amount,
           d.together, a.slot, a.checked_at, ${isFresh(sql`a`)} as is_fresh, a.is_there, a.mint as account_mint, a.balance,
           a.delegate, a.allowance, a.frozen, ${obstacleOf(sql`d.recipient`)} as recipient,
           ${obstacleOf(gatewayFee.ofRow ?? sql`x.gateway_fee_recipient`)} as fee,
           ${obstacleOf(sql`x.fee_recipient`)} as protocol_fee
      from need d
     cross join program x
      left join token_accounts a on a.address = d.token_account
  ), risk as (
    select f.*, c.cause, ${STATE} as state from fact f cross join lateral (select ${causeFor(programId)} as cause) c
  )`

interface DueRiskRow extends Pick<DueRisk, 'state' | 'cause' | 'slot'> {
  address: string
  isWatched: boolean
  checkedAt: Date | null
  balance: string | null
  allowance: string | null
  together: string | null
}

const integer = (text: string | null): bigint | null => (text === null ? null : BigInt(text))

function toRisk({ isWatched, state, cause, slot, ...row }: DueRiskRow): DueRisk {
  if (!isWatched) return UNWATCHED
  return {
    state,
    cause,
    slot,
    checkedAt: row.checkedAt?.toISOString() ?? null,
    balance: integer(row.balance),
    allowance: integer(row.allowance),
    dueTogether: integer(row.together),
  }
}

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
  const gatewayFee = { ofRow: newestFact('fee_recipient', sql`d.gateway`) }
  const rows = await run<DueRiskRow>(sql`
    with ${risksOf(asked, { programId, gatewayFee })}
    select r.address, r.is_watched as "isWatched", r.state, r.cause, r.checked_at as "checkedAt", r.slot,
           r.balance::text as balance, r.allowance::text as allowance, r.together::text as together
      from risk r`)
  return new Map(rows.map(row => [row.address, toRisk(row)]))
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
