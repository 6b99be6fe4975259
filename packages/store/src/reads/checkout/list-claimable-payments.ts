import { policiesOfWallet } from '../lists/policies-of-wallet.js'
import { walkConditions, walkOrder } from '../lists/walk-key.js'
import { allOf, empty, hidden, raw, sql, type Sql, type Store } from '../../core/database/sql.js'
import { IS_PAYMENT } from '../../core/tables/payment-names.js'
import type { ClaimFilter } from './list-claimable-policies.js'

/** A payment whose payer and recipient are known. Amounts are exact. */
export interface ClaimablePayment {
  signature: string
  slot: number
  occurredAt: Date
  paymentPolicy: string
  gateway: string
  amount: bigint
  trackingId: string | null
  recordId: number
  payer: string
  recipient: string
  tokenMint: string | null
}

export interface PaymentsToClaim {
  /** newest first */
  payments: ClaimablePayment[]
  /** payments match the filter except for the payer: another wallet paid */
  otherPayer: boolean
}

/** The policy of a payment without a policy. */
const NO_POLICY = sql`'11111111111111111111111111111111'`
const ORDER = sql`e.occurred_at desc, e.slot desc, e.event_index desc, e.id desc`
const NEWEST = sql`order by ${ORDER}`
const IS_VALID = sql`${IS_PAYMENT} and e.retracted_at is null`

/**
 * The newest payments of each policy of a wallet (`policiesOfWallet`: at most 10,000), or of one of them, and the wallet's payments
 * without a policy.
 */
const paidBy = (wallet: string, policy: string | undefined, limit: number): Sql => sql`
  select e.* from (${policiesOfWallet(wallet, policy === undefined ? sql`true` : sql`q.address = ${policy}`)}) q
   cross join lateral (
     select * from events e where e.payment_policy = q.address and ${IS_VALID} ${NEWEST} limit ${limit}) e
   union all
  select * from (
    select * from events e where e.payment_policy = ${NO_POLICY} and e.payer = ${wallet} and ${IS_VALID}
     ${NEWEST} limit 1000) e`

/** The index events_tracking_recipient holds the payments after these. */
const FIRST = raw('1000')
/** Payments after the first ones that a search looks at, the newest: anybody can write any tracking ID. */
const SEARCHED = raw('1000')
/** As in the index events_tracking_recipient. */
const RECEIVED_AS = sql`(e.tracking_id || ' ' || e.recipient)`

/** The newest payments of a tracking ID to a recipient, after its first ones. */
const receivedAs = (trackingId: string, recipient: string): Sql => {
  const key = hidden(sql`${`${trackingId} ${recipient}`}::text`)
  return sql`
    select * from events e
     where (${RECEIVED_AS}, e.occurred_at) >= (${key}, '-infinity'::timestamptz)
       and (${RECEIVED_AS}, e.occurred_at) <= (${key}, 'infinity'::timestamptz) and e.seq > ${FIRST} and ${IS_VALID}
     order by ${RECEIVED_AS} desc, ${ORDER} limit ${SEARCHED}`
}

/**
 * The first payments of a tracking ID, and the newest of all others: to the recipient if it is named, so that nobody can push
 * them out of the search without paying the recipient. Where the wallet is named, its own policies are looked at too: nobody
 * else can push out their payments.
 */
const trackedBy = (
  trackingId: string,
  { wallet, recipient, policyAddress }: ClaimFilter,
  limit: number,
): Sql => {
  const id = hidden(sql`${trackingId}::text`)
  const newest =
    recipient === undefined
      ? sql`
        select * from events e
         where ${allOf(walkConditions({ column: 'tracking_id', value: trackingId }))} and ${IS_VALID}
         ${walkOrder('tracking_id', ORDER)} limit ${SEARCHED}`
      : receivedAs(trackingId, recipient)
  const tracked = sql`
    select e.* from (
      select * from events e
       where (e.tracking_id, e.seq) >= (${id}, 1) and (e.tracking_id, e.seq) <= (${id}, ${FIRST}) and e.seq is not null
       order by e.tracking_id, e.seq limit ${FIRST}) e where ${IS_VALID}
     union all
    select e.* from (${newest}) e`
  const all =
    wallet === undefined
      ? tracked
      : sql`select e.* from (${tracked}) e where e.payer = ${wallet} union all ${paidBy(wallet, policyAddress, limit)}`
  return sql`select distinct on (e.id) e.* from (${all}) e`
}

/**
 * Valid payments whose payer and recipient are known, newest first. Searches by transaction if given, else by
 * tracking ID, else by wallet: the caller must give `signature`, `trackingId` or `wallet`. By a tracking ID, looks at its first
 * 1,000 payments and at 1,000 others.
 * Relies on events_signature_hash, events_tracking_seq, events_tracking_recipient, events_tracking_newest,
 * events_policy_newest and events_payer_direct.
 */
export async function listClaimablePayments(
  { database }: Store,
  filter: ClaimFilter & { signature?: string | undefined },
  limit: number,
): Promise<PaymentsToClaim> {
  const { signature, wallet, trackingId } = filter
  const source =
    signature !== undefined
      ? sql`select * from events e where e.signature = ${signature} and ${IS_VALID}`
      : trackingId !== undefined
        ? trackedBy(trackingId, filter, limit)
        : paidBy(wallet ?? '', filter.policyAddress, limit)
  const conditions = [sql`e.payer is not null`, sql`e.recipient is not null`]
  // A transaction holds few payments, so other payers are found among them.
  if (wallet !== undefined && signature === undefined) conditions.push(sql`e.payer = ${wallet}`)
  if (trackingId !== undefined) conditions.push(sql`e.tracking_id = ${trackingId}`)
  if (filter.recipient !== undefined) conditions.push(sql`e.recipient = ${filter.recipient}`)
  if (filter.policyAddress !== undefined) conditions.push(sql`e.payment_policy = ${filter.policyAddress}`)
  if (filter.tokenMint !== undefined) conditions.push(sql`e.token_mint = ${filter.tokenMint}`)
  const rows = await database.read<ClaimablePayment>(sql`
    select e.signature, e.slot::float8 as slot, e.occurred_at as "occurredAt", e.payment_policy as "paymentPolicy",
           e.gateway, e.amount, e.tracking_id as "trackingId", e.record_id::float8 as "recordId",
           e.payer, e.recipient, e.token_mint as "tokenMint"
      from (${source}) e
     where ${allOf(conditions)} ${NEWEST} ${signature === undefined ? sql`limit ${limit}` : empty}`)
  const own = rows.filter(({ payer }) => wallet === undefined || payer === wallet)
  return {
    payments: own.slice(0, limit),
    otherPayer: own.length < rows.length,
  }
}
