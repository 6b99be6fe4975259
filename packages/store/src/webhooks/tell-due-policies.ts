// Changes of policies by time alone: a due date comes near or passes unpaid, a policy expires. No chain event reports
// them.
import type { DeliveryRef } from '@payment-tracking/contracts'
import {
  DUE_LIFECYCLE_TYPES,
  judgeFilters,
  renderLifecycleMessage,
  type LifecyclePolicy,
  type LifecycleType,
  type WebhookFilters,
} from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import { dueNotices } from './due-notices.js'
import { insertMessages, type Address } from './insert-deliveries.js'

export interface DueLimits {
  /** how long before a due date `due_soon` is sent */
  soonSeconds: number
  /** how long after it `overdue` is sent */
  graceSeconds: number
  /** policies in one call */
  limit: number
}

interface DueRow {
  address: string
  incarnation: string
  type: LifecycleType
  at: bigint
  gateway: string
  family: string
  policy_id: bigint | null
  recipient: string | null
  tracking_id: string | null
  token_mint: string | null
  owner: string | null
  status: string
  payment_count: bigint
  total_paid: string
  next_payment_due: bigint | null
}

interface DueWebhook {
  id: bigint
  gateway: string
  eventTypes: string[]
  filters: WebhookFilters | null
  ordered: boolean
}

const TYPES = [...DUE_LIFECYCLE_TYPES]

/**
 * Reports due, overdue and expired policies to subscribed webhooks, each once for its incarnation and date. Any number
 * of processes may call it at once.
 *
 * The statement locks a row of policies before it judges the row, and ingest writes the same row in the transaction
 * that stores a payment. So `overdue` is never sent for a policy whose payment is stored. Rows that ingest has locked
 * are skipped until the next call, so there is no deadlock. Only Postgres' clock decides.
 * @returns the written deliveries, and the number of reported policies
 */
export async function tellDuePolicies(
  { database }: Store,
  { soonSeconds, graceSeconds, limit }: DueLimits,
): Promise<{ deliveries: DeliveryRef[]; told: number }> {
  return database.transaction(
    async tx => {
      const webhooks = await tx.$queryRaw<DueWebhook[]>`
        select id, gateway, event_types as "eventTypes", filters, ordered from webhooks
         where active and deleted_at is null and event_types && ${TYPES}::text[]`
      if (webhooks.length === 0) return { deliveries: [], told: 0 }
      const rows = await tx.$queryRaw<DueRow[]>`
        with asked as (
          select distinct w.gateway, t.type
            from webhooks w cross join lateral unnest(w.event_types) as t (type)
           where w.id = any(${webhooks.map(({ id }) => id.toString())}::bigint[]) and t.type = any(${TYPES}::text[])
        ), due as (
          select p.address, p.life_start as incarnation, k.type, k.at, p.gateway, p.family, p.policy_id, p.recipient,
                 p.tracking_id, p.token_mint, p.user_payment, p.status, p.payment_count, p.total_paid, p.next_payment_due
            from asked a
            join policies p on p.gateway = a.gateway and p.live and p.status = 'active'
           ${dueNotices(soonSeconds, graceSeconds)}
           where k.type = a.type and k.holds
             and not exists (select from policy_notices n
                              where n.policy = p.address and n.incarnation = p.life_start
                                and n.type = k.type and n.at = k.at)
           limit ${limit}
             for no key update of p skip locked
        ), told as (
          insert into policy_notices (policy, incarnation, type, at)
          select address, incarnation, type, at from due
          on conflict do nothing
          returning policy, incarnation, type, at
        )
        select d.address, d.incarnation, d.type, d.at, d.gateway, d.family, d.policy_id, d.recipient, d.tracking_id,
               coalesce(d.token_mint, u.token_mint) as token_mint, u.owner, d.status, d.payment_count,
               d.total_paid::text as total_paid, d.next_payment_due
          from told t
          join due d on d.address = t.policy and d.incarnation = t.incarnation and d.type = t.type and d.at = t.at
          left join user_payments u on u.address = d.user_payment`
      const addresses: Address[] = []
      const messages = rows.map((row, index) => {
        const policy = toPolicy(row)
        for (const { id, gateway, eventTypes, filters, ordered } of webhooks)
          if (
            gateway === row.gateway &&
            eventTypes.includes(row.type) &&
            judgeFilters(filters, policy) === 'passes'
          )
            addresses.push({ webhookId: id, message: index + 1, ordered })
        return { ...toMessage(policy, row), eventId: null }
      })
      return { deliveries: await insertMessages(tx, addresses, messages), told: rows.length }
    },
    { maxWait: 10_000, timeout: 60_000 },
  )
}

/** A date beyond the year 9999 is sent as the last date that ISO 8601 writes with four digits. */
const isoOf = (seconds: bigint): string =>
  new Date(Math.min(Math.max(Number(seconds), 0), 253_402_300_799) * 1000).toISOString()

const toPolicy = (row: DueRow): LifecyclePolicy => ({
  address: row.address,
  incarnationStart: row.incarnation,
  family: row.family,
  policyId: row.policy_id === null ? null : Number(row.policy_id),
  gateway: row.gateway,
  recipient: row.recipient,
  trackingId: row.tracking_id,
  tokenMint: row.token_mint,
  payer: row.owner,
  status: row.status,
  paymentCount: row.payment_count,
  totalPaid: BigInt(row.total_paid),
  nextPaymentDue: row.next_payment_due,
})

const toMessage = (policy: LifecyclePolicy, { type, at }: DueRow) =>
  renderLifecycleMessage(policy, { type, key: String(at), at: isoOf(at), dueAt: at, cause: null })
