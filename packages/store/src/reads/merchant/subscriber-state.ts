// How a gateway stands with a wallet. docs/existing-clients.md has the words.
import { raw, sql, type Sql } from '../../core/database/sql.js'
import { isWaiting, isWatched, risksOf } from '../../core/risk/due-risks.js'
import { newestFact } from '../../core/risk/program-facts.js'
import { WITH_USER_PAYMENT } from '../../core/tables/policy-rows.js'

/** The first that applies. */
export const SUBSCRIBER_STATES = ['overdue', 'at_risk', 'active', 'ended', 'never_paid'] as const
export type SubscriberState = (typeof SUBSCRIBER_STATES)[number]

export interface StateClock {
  /** Unix seconds */
  nowSeconds: number
  /** how long after its due date a payment is not late yet */
  graceSeconds: number
}

/** By which a customer is judged. */
export interface CustomerRules extends StateClock {
  /** whose program pays */
  programId: string
}

/** Policies of a wallet, of whichever gateway, that are looked at: anybody can make any number of them. */
export const MOST_POLICIES = 1_000

const asSecond = (seconds: number): Sql => sql`${BigInt(Math.floor(seconds))}::bigint`

/** Policies of a wallet that are looked at for what it owes next. */
const MOST_DUE = 5

/** A policy `p` is more than one purchase. */
const isSubscription = sql`coalesce(p.policy_type::text not like '{"OneTime"%', true)`

/** A policy `p` may still be paid: `dueStateOf` says neither `expired` nor that it is over. */
export const isActive = ({ nowSeconds }: StateClock): Sql => sql`
  (p.live and p.status = 'active' and (p.ends_at is null or p.ends_at > ${asSecond(nowSeconds)}))`

/** `dueStateOf` says `overdue` of a policy `p`: services/api/test/merchant/customers.test.ts compares both. */
export const isOverdue = (clock: StateClock): Sql => sql`
  (${isActive(clock)} and p.due_at < ${asSecond(clock.nowSeconds - clock.graceSeconds)})`

/** The next payment of a policy `p` can be at risk. */
export const canBeAtRisk = (clock: StateClock): Sql =>
  sql`(${isActive(clock)} and ${isWaiting(sql`p`)} and ${isWatched(sql`p`)})`

/** The newest policies of a wallet, of whichever gateway. Relies on user_payments by owner and policies_user_payment_idx. */
const newestPoliciesOf = (wallet: Sql): Sql => sql`
  (select p.*
     from (select address from user_payments where owner = ${wallet} limit ${MOST_POLICIES}) u
    cross join lateral (
      select * from policies where user_payment = u.address
       order by created_at desc, address desc limit ${MOST_POLICIES}) p
    limit ${MOST_POLICIES})`

/**
 * One row about a wallet's policies with the gateway. It says:
 * - how many policies there are, and how many are subscriptions
 * - the state of the wallet, judged without its payments and risks
 * - the address of the newest policy that `isWanted` selects
 * - the addresses of the policies that are due first
 *
 * The limits keep Postgres from reading a whole table for which it has no statistics yet.
 * @param wallet a column of a table whose alias is neither `u` nor `p`
 * @param isWanted a condition on a policy `p`
 */
export const walletPolicies = (
  gateway: string,
  wallet: Sql,
  clock: StateClock,
  isWanted: Sql = sql`true`,
): Sql => sql`
  select count(*) filter (where p.gateway = ${gateway}) as policies, count(*) < ${MOST_POLICIES} as complete,
         case when bool_or(p.gateway = ${gateway} and ${isOverdue(clock)}) then 'overdue'
              when bool_or(p.gateway = ${gateway} and ${isActive(clock)}) then 'active' end as state,
         (array_agg(p.address order by p.created_at desc, p.address desc)
            filter (where p.gateway = ${gateway} and ${isWanted}))[1] as newest,
         (array_agg(p.address order by p.due_at, p.address)
            filter (where p.gateway = ${gateway} and p.due_at is not null and ${isActive(clock)}))[1:${raw(String(MOST_DUE))}] as due,
         count(*) filter (where p.gateway = ${gateway} and ${isSubscription}) as subscriptions
    from ${newestPoliciesOf(wallet)} p`

/**
 * Whether a payment of a wallet to a gateway is at risk, by its records' own rule. It costs more than `walletPolicies`: a
 * statement asks for wallets alone whose state it decides.
 */
export const isAtRisk = (gateway: string, wallet: Sql, { programId, ...clock }: CustomerRules): Sql => {
  const asked = sql`${newestPoliciesOf(wallet)} p ${WITH_USER_PAYMENT} where p.gateway = ${gateway} and ${canBeAtRisk(clock)}`
  const gatewayFee = { ofAll: newestFact('fee_recipient', sql`${gateway}`) }
  return sql`
    exists (with ${risksOf(asked, { programId, gatewayFee })} select from risk r where r.state = 'at_risk')`
}
