import { sql, type Sql } from '../database/sql.js'

/**
 * Joins each policy `p` with its three notices `k (type, at, holds)`: the type of the event, the date that it is about,
 * and whether the event has occurred by Postgres' clock.
 * @param soonSeconds how long before a due date it is near
 * @param graceSeconds how long after a due date a payment is overdue
 */
export const dueNotices = (soonSeconds: number, graceSeconds: number): Sql => sql`
  cross join lateral (
    select floor(extract(epoch from clock_timestamp()))::bigint as now,
           case when p.policy_type::text like '{"Subscription"%' then p.next_payment_due
                when p.policy_type::text like '{"OneTime"%'
                then case when (p.policy_type -> 'OneTime' ->> 'due_date')::bigint > 0
                          then (p.policy_type -> 'OneTime' ->> 'due_date')::bigint else p.created_at end
           end as due_at,
           case when p.policy_type::text like '{"OneTime"%'
                then (p.policy_type -> 'OneTime' ->> 'expiry_date')::bigint + 1
                when p.policy_type::text like '{"PayAsYouGo"%'
                then nullif(greatest((p.policy_type -> 'PayAsYouGo' ->> 'expiry_date')::bigint, 0), 0) + 1
                when p.policy_type::text like '{"UpTo"%'
                then (p.policy_type -> 'UpTo' ->> 'deadline')::bigint
           end as ends_at) d
  cross join lateral (values
    ('subscription.due_soon', d.due_at,
     d.due_at > d.now and d.due_at <= d.now + ${BigInt(soonSeconds)}::bigint),
    ('subscription.overdue', d.due_at, d.now - ${BigInt(graceSeconds)}::bigint > d.due_at
     and (d.ends_at is null or d.now < d.ends_at)),
    ('subscription.expired', d.ends_at, d.now >= d.ends_at)) k (type, at, holds)`
