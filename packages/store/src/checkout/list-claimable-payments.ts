import { policiesOf } from '../reads/policies-of-wallet.js'
import type { Store } from '../database/open-store.js'
import { allOf, empty, raw, sql, type Sql } from '../database/sql.js'
import { IS_PAYMENT } from '../rows/payment-names.js'
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
const NEWEST = sql`order by e.occurred_at desc, e.slot desc, e.event_index desc, e.id desc`
const STANDS = sql`${IS_PAYMENT} and e.retracted_at is null`

/**
 * The newest payments of each policy of a wallet (`policiesOf`: at most 10,000), or of one of them, and the wallet's payments
 * without a policy.
 */
const paidBy = (wallet: string, policy: string | undefined, limit: number): Sql => sql`
  select e.* from (${policiesOf(wallet, policy === undefined ? sql`true` : sql`q.address = ${policy}`)}) q
   cross join lateral (
     select * from events e where e.payment_policy = q.address and ${STANDS} ${NEWEST} limit ${limit}) e
   union all
  select * from (
    select * from events e where e.payment_policy = ${NO_POLICY} and e.payer = ${wallet} and ${STANDS}
     ${NEWEST} limit 1000) e`

/** Payments of a tracking ID that a search looks at, the newest: anybody can write any tracking ID. */
const SEARCHED = raw('50000')

/**
 * The newest payments of a tracking ID. Where the wallet is named, its own policies are looked at too: nobody else can push
 * their payments out of the search.
 */
const trackedBy = (trackingId: string, { wallet, policyAddress }: ClaimFilter, limit: number): Sql => {
  const newest = sql`
    select e.* from (select * from events e where e.tracking_id = ${trackingId} and ${STANDS} ${NEWEST} limit ${SEARCHED}) e`
  return wallet === undefined
    ? newest
    : sql`
      select distinct on (e.id) e.* from (
        ${newest} where e.payer = ${wallet} union all ${paidBy(wallet, policyAddress, limit)}) e`
}

/**
 * Payments that stand, whose payer and recipient are known, newest first. Searches by transaction if given, else by
 * tracking ID, among the newest 50,000 payments, else by wallet: the caller must give `signature`, `trackingId` or `wallet`.
 * Relies on events_signature_hash, events_tracking_newest, events_policy_newest and events_payer_direct.
 */
export async function listClaimablePayments(
  { database }: Store,
  filter: ClaimFilter & { signature?: string | undefined },
  limit: number,
): Promise<PaymentsToClaim> {
  const { signature, wallet, trackingId } = filter
  const source =
    signature !== undefined
      ? sql`select * from events e where e.signature = ${signature} and ${STANDS}`
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
  const rows = await database.read<Omit<ClaimablePayment, 'amount'> & { amount: string }>(sql`
    select e.signature, e.slot::float8 as slot, e.occurred_at as "occurredAt", e.payment_policy as "paymentPolicy",
           e.gateway, e.amount::text as amount, e.tracking_id as "trackingId", e.record_id::float8 as "recordId",
           e.payer, e.recipient, e.token_mint as "tokenMint"
      from (${source}) e
     where ${allOf(conditions)} ${NEWEST} ${signature === undefined ? sql`limit ${limit}` : empty}`)
  const own = rows.filter(({ payer }) => wallet === undefined || payer === wallet)
  return {
    payments: own.slice(0, limit).map(row => ({ ...row, amount: BigInt(row.amount) })),
    otherPayer: own.length < rows.length,
  }
}
