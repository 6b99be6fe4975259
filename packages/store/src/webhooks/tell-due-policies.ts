// Changes of policies by time alone: a due date comes near or passes unpaid, a policy expires. No chain event reports
// them.
import type { DeliveryRef } from '@payment-tracking/contracts'
import { DUE_LIFECYCLE_TYPES, type LifecycleType } from '@payment-tracking/domain'
import { PAGE_LIMITS } from '../database/database.js'
import type { Store } from '../database/open-store.js'
import { sql, type Tx } from '../database/sql.js'
import { IS_ACTIVE } from './conditions.js'
import { LIFECYCLE_COLUMNS, toLifecyclePolicy, WITH_USER_PAYMENT, type LifecycleRow } from '../policy-rows.js'
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

interface DueRow extends LifecycleRow {
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
  return database.transaction(async tx => {
    const webhooks = await tx.$queryRaw<ToldWebhook[]>`
      select ${TOLD_WEBHOOK} from webhooks w
       where ${IS_ACTIVE} and w.event_types && ${TYPES}::text[]`
    if (webhooks.length === 0) return { deliveries: [], told: 0 }
    const rows = await takeDue(tx, webhooks, limits)
    const routed = new RoutedMessages()
    for (const { type, at: dueAt, ...row } of rows) {
      const at = new Date(Number(dueAt) * 1000).toISOString()
      const lifecycle = { type, key: String(dueAt), at, dueAt, cause: null }
      const message = messageOfLifecycle(toLifecyclePolicy(row), lifecycle)
      // Nothing can take the passing of time back: it is final.
      for (const webhook of webhooks) if (webhook.gateway === row.gateway) routed.add(webhook, message, true)
    }
    return { deliveries: await routed.write(tx), told: rows.length }
  }, PAGE_LIMITS)
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
    select p.*, k.type, k.at
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
  select ${LIFECYCLE_COLUMNS}, p.type, p.at
    from told t
    join due p on p.address = t.policy and p.life_start = t.incarnation and p.type = t.type and p.at = t.at
    ${WITH_USER_PAYMENT}`)
