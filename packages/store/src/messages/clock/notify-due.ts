// One page of due dates: what to notify of a policy now, and when it is looked at next.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { renderDueRisk, type LifecycleType } from '@payment-tracking/domain'
import { runIn, sql, type Sql, type Tx } from '../../core/database/sql.js'
import { NOW, readDueRisks } from '../../core/risk/due-risks.js'
import { IS_ACTIVE } from '../../core/tables/delivery-rows.js'
import {
  LIFECYCLE_COLUMNS,
  toLifecyclePolicy,
  WITH_USER_PAYMENT,
  type LifecycleRow,
} from '../../core/tables/policy-rows.js'
import { messageOfLifecycle, ToldMessages } from '../routing/routed-messages.js'
import type { NotifiedPage } from '../routing/notify-in-parts.js'
import { readWebhooksOf } from '../routing/notified-webhooks.js'

export interface DueMargins {
  /** how long before a due date `due_soon` is sent */
  soonSeconds: number
  /** how long after it `overdue` is sent */
  graceSeconds: number
  /** whose payments are judged; default: the production program */
  programId?: string
}

interface DueRow extends LifecycleRow {
  type: LifecycleType
  at: bigint
}

/**
 * What to notify of a policy `p` now. The comparisons are those of `dueNoticeOf`, over the dates that the fold has
 * brought into bounds: services/api/test/due-dates.test.ts compares both.
 */
export const datesOf = ({ soonSeconds, graceSeconds }: DueMargins): Sql => sql`
  (select k.type, k.at
     from (values
      ('subscription.due_soon', p.due_at, p.due_at > ${NOW} and p.due_at <= ${NOW} + ${BigInt(soonSeconds)}::bigint
        and (p.ends_at is null or p.ends_at > ${NOW})),
      ('subscription.overdue', p.due_at, p.due_at < ${NOW} - ${BigInt(graceSeconds)}::bigint
        and (p.ends_at is null or p.ends_at > ${NOW})),
      ('subscription.expired', p.ends_at, p.ends_at <= ${NOW})) k (type, at, holds)
    where k.holds
      and (exists (select from webhooks w where w.gateway = p.gateway and ${IS_ACTIVE} and k.type = any(w.event_types))
        or exists (select from gateway_settings s where s.gateway = p.gateway and s.feed_dates))
      and not exists (select from policy_notices n
                       where n.policy = p.address and n.incarnation_start = p.incarnation_start
                         and n.type = k.type and n.at = k.at))`

/** The next second at which there can be more to notify of a policy `p`, whoever asks for it; null when time alone brings no more. */
const nextCheckOf = ({ soonSeconds, graceSeconds }: DueMargins): Sql => sql`
  case when p.live and p.status = 'active' and (p.ends_at is null or p.ends_at > ${NOW}) then (
    select min(k.at)
      from (values (p.due_at - ${BigInt(soonSeconds)}::bigint), (p.due_at + ${BigInt(graceSeconds)}::bigint + 1),
                   (p.ends_at)) k (at)
     where k.at > ${NOW}) end`

/** Reports what is due of some policies. The caller has locked their rows (`notifyInParts`). */
export async function notifyDue(tx: Tx, held: readonly string[], margins: DueMargins): Promise<NotifiedPage> {
  const rows = await takeDue(tx, held, margins)
  const webhooksOf = await readWebhooksOf(tx, [...new Set(rows.map(({ gateway }) => gateway))])
  const dues = rows.filter(({ type }) => type !== 'subscription.expired').map(({ address }) => address)
  const risks = await readDueRisks(runIn(tx), dues, margins.programId ?? DEFAULT_PROGRAM_ID)
  const routed = new ToldMessages()
  for (const { type, at: dueAt, ...row } of rows) {
    const at = new Date(Number(dueAt) * 1000).toISOString()
    const dueRisk =
      type === 'subscription.expired' ? {} : { dueRisk: renderDueRisk(risks.get(row.address) ?? null) }
    const lifecycle = { type, key: String(dueAt), at, dueAt, cause: null, ...dueRisk }
    const message = messageOfLifecycle(toLifecyclePolicy(row), lifecycle)
    routed.log(row.gateway, message)
    // Nothing can take the passing of time back: it is final.
    for (const webhook of webhooksOf.get(row.gateway) ?? []) routed.add(webhook, message, true)
  }
  return { deliveries: await routed.write(tx), notified: rows.length }
}

/**
 * Finds what no webhook was notified of yet, records that it is, and moves the next check after it. SQL: the database judges
 * by its own clock.
 */
const takeDue = (tx: Tx, held: readonly string[], margins: DueMargins): Promise<DueRow[]> =>
  tx.$queryRaw<DueRow[]>(sql`
  with scanned as (
    update policies p set next_check_at = ${nextCheckOf(margins)}
     where p.address = any(${[...held]}::text[])
    returning p.*
  ), due as (
    select p.*, k.type, k.at
      from scanned p
     cross join lateral ${datesOf(margins)} k
     where p.live and p.status = 'active'
  ), notified as (
    insert into policy_notices (policy, incarnation_start, type, at)
    select address, incarnation_start, type, at from due order by address
    on conflict do nothing
    returning policy, incarnation_start, type, at
  )
  select ${LIFECYCLE_COLUMNS}, p.type, p.at
    from notified t
    join due p on p.address = t.policy and p.incarnation_start = t.incarnation_start and p.type = t.type and p.at = t.at
    ${WITH_USER_PAYMENT}`)
