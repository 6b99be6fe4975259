// Changes of policies by time alone: a due date comes near or passes unpaid, a policy expires. No chain event reports
// them.
import type { DeliveryRef } from '@payment-tracking/contracts'
import { DUE_LIFECYCLE_TYPES, type LifecyclePolicy, type LifecycleType } from '@payment-tracking/domain'
import type { Store } from '../database/open-store.js'
import { sql, type Tx } from '../database/sql.js'
import { messageOfLifecycle, RoutedMessages } from './routed-messages.js'
import { TOLD_WEBHOOK, type ToldWebhook } from './told-webhooks.js'

export interface DueLimits {
  /** how long before a due date `due_soon` is sent */
  soonSeconds: number
  /** how long after it `overdue` is sent */
  graceSeconds: number
  /** policies in one call */
  limit: number
}

interface DueRow extends Omit<LifecyclePolicy, 'policyId' | 'totalPaid'> {
  policyId: bigint | null
  totalPaid: string
  type: LifecycleType
  at: bigint
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
  limits: DueLimits,
): Promise<{ deliveries: DeliveryRef[]; told: number }> {
  return database.transaction(
    async tx => {
      const webhooks = await tx.$queryRaw<ToldWebhook[]>`
        select ${TOLD_WEBHOOK} from webhooks w
         where w.active and w.deleted_at is null and w.event_types && ${TYPES}::text[]`
      if (webhooks.length === 0) return { deliveries: [], told: 0 }
      const rows = await takeDue(tx, webhooks, limits)
      const routed = new RoutedMessages()
      for (const { type, at, ...row } of rows) {
        const policy = {
          ...row,
          policyId: row.policyId === null ? null : Number(row.policyId),
          totalPaid: BigInt(row.totalPaid),
        }
        const message = messageOfLifecycle(policy, {
          ...{ type, key: String(at), at: new Date(Number(at) * 1000).toISOString(), dueAt: at, cause: null },
        })
        // Nothing can take the passing of time back: it is final.
        for (const webhook of webhooks)
          if (webhook.gateway === row.gateway) routed.add(webhook, message, true)
      }
      return { deliveries: await routed.write(tx), told: rows.length }
    },
    { maxWait: 10_000, timeout: 60_000 },
  )
}

/**
 * Finds what no webhook was told yet, and records that it is told. The comparisons are those of `dueNoticeOf`, over the
 * dates that the fold has brought into bounds: services/api/test/due-dates.test.ts compares both.
 */
const takeDue = (
  tx: Tx,
  webhooks: readonly ToldWebhook[],
  { soonSeconds, graceSeconds, limit }: DueLimits,
): Promise<DueRow[]> =>
  tx.$queryRaw<DueRow[]>(sql`
  with asked as (
    select distinct w.gateway, t.type
      from webhooks w cross join lateral unnest(w.event_types) as t (type)
     where w.id = any(${webhooks.map(({ id }) => id.toString())}::bigint[]) and t.type = any(${TYPES}::text[])
  ), due as (
    select p.address, p.life_start, k.type, k.at, p.gateway, p.family, p.policy_id, p.recipient, p.tracking_id,
           p.token_mint, p.user_payment, p.status, p.payment_count, p.total_paid, p.next_payment_due
      from asked a
      join policies p on p.gateway = a.gateway and p.live and p.status = 'active'
     cross join lateral (select floor(extract(epoch from clock_timestamp()))::bigint as now) c
     cross join lateral (values
       ('subscription.due_soon', p.due_at, p.due_at > c.now and p.due_at <= c.now + ${BigInt(soonSeconds)}::bigint
         and (p.ends_at is null or p.ends_at > c.now)),
       ('subscription.overdue', p.due_at, p.due_at < c.now - ${BigInt(graceSeconds)}::bigint
         and (p.ends_at is null or p.ends_at > c.now)),
       ('subscription.expired', p.ends_at, p.ends_at <= c.now)) k (type, at, holds)
     where k.type = a.type and k.holds
       and not exists (select from policy_notices n
                        where n.policy = p.address and n.incarnation = p.life_start
                          and n.type = k.type and n.at = k.at)
     limit ${limit}
       for no key update of p skip locked
  ), told as (
    insert into policy_notices (policy, incarnation, type, at)
    select address, life_start, type, at from due
    on conflict do nothing
    returning policy, incarnation, type, at
  )
  select d.address, d.life_start as "incarnationStart", d.type, d.at, d.gateway, d.family, d.policy_id as "policyId",
         d.recipient, d.tracking_id as "trackingId", coalesce(d.token_mint, u.token_mint) as "tokenMint",
         u.owner as payer, d.status, d.payment_count as "paymentCount", d.total_paid::text as "totalPaid",
         d.next_payment_due as "nextPaymentDue"
    from told t
    join due d on d.address = t.policy and d.life_start = t.incarnation and d.type = t.type and d.at = t.at
    left join user_payments u on u.address = d.user_payment`)
