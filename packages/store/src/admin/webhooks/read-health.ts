import { endpointHealth, type DeliveryState, type EndpointHealth } from '@payment-tracking/domain'
import { bigints, hidden, raw, sql, type Sql, type Store } from '../../core/database/sql.js'

/** The newest request that ended. */
export interface LastAnswer {
  at: Date
  accepted: boolean
  /** `HTTP 500`, or what went wrong where there was no answer */
  answer: string
  deliveryId: bigint
  /** its first 200 characters; null without one */
  body: string | null
}

/** What an endpoint made of what it was sent. */
export interface WebhookHealth {
  health: EndpointHealth
  /** that ended in the hour that runs and the 23 before it */
  requests: number
  accepted: number
  /** null: none since it was registered, as far as is kept */
  lastAcceptedAt: Date | null
  lastAnswer: LastAnswer | null
}

interface Row {
  id: bigint
  isActive: boolean
  /** of the last 24, newest first */
  hours: { requests: number; accepted: number }[]
  lastAcceptedAt: Date | null
  at: Date | null
  accepted: boolean
  statusCode: number | null
  error: string | null
  deliveryId: bigint
  body: string | null
}

const HOURS = raw('24')
/** Ended deliveries of each state, and open ones at both ends, among which the newest request is looked for. */
const ENDED = raw('20')
const OPEN = raw('100')

const [ASC, DESC] = [raw('asc'), raw('desc')]

/** With a state that it sees, Postgres may read the failures of all webhooks in their order by deliveries_failed. */
const looked = (state: DeliveryState, order: Sql, most: Sql): Sql => sql`
  (select d.id, d.attempts_made from deliveries d
    where d.webhook_id = w.id and d.state = ${hidden(sql`${state}::text`)} order by d.id ${order} limit ${most})`

/**
 * The health of some webhooks, by the one definition of `endpointHealth`. For each: the counts of 24 hours (at most 134 rows an
 * hour), up to 440 deliveries with the newest attempt of those that were tried, and one probe for the last hour in which it accepted.
 * Only the newest attempt's body is read: bodies can lie outside of their rows.
 * Relies on deliveries_webhook_state.
 */
export async function readHealth(
  { database }: Store,
  ids: readonly bigint[],
): Promise<ReadonlyMap<bigint, WebhookHealth>> {
  const rows = await database.read<Row>(sql`
    select w.id, w.active and w.deleted_at is null as "isActive", h.hours,
           greatest(n.accepted_at, a.start) as "lastAcceptedAt",
           n.at, n.accepted, n.status_code::int as "statusCode", n.error, n.delivery_id as "deliveryId", b.body
      from webhooks w
     cross join lateral (
       select coalesce(json_agg(json_build_object('requests', h.requests, 'accepted', h.accepted) order by h.start desc), '[]') as hours
         from (select start, sum(requests) as requests, coalesce(sum(requests) filter (where accepted), 0) as accepted
                 from webhook_hours
                where webhook_id = w.id
                  and start > date_trunc('hour', statement_timestamp(), 'UTC') - make_interval(hours => ${HOURS})
                group by start) h) h
      left join lateral (
       select start from webhook_hours where webhook_id = w.id and accepted order by start desc limit 1) a on true
      left join lateral (
       select max(t.finished_at) filter (where t.accepted) over () as accepted_at,
              t.finished_at as at, t.accepted, t.status_code, t.error, d.id as delivery_id, t.number
         from (${looked('delivered', DESC, ENDED)} union all ${looked('failed', DESC, ENDED)}
               union all ${looked('pending', DESC, OPEN)} union all ${looked('pending', ASC, OPEN)}
               union all ${looked('waiting', DESC, OPEN)} union all ${looked('waiting', ASC, OPEN)}) d
        cross join lateral (
          select t.number, t.finished_at, t.outcome = 'accepted' as accepted, t.status_code, t.error
            from delivery_attempts t
           where d.attempts_made > 0 and t.delivery_id = d.id and t.finished_at is not null and t.outcome <> 'interrupted'
           order by t.number desc limit 1) t
        order by t.finished_at desc limit 1) n on true
      left join lateral (
       select left(response_body, 200) as body from delivery_attempts
        where delivery_id = n.delivery_id and number = n.number limit 1) b on true
     where w.id = any(${bigints(ids)})`)
  return new Map(rows.map(row => [row.id, healthOf(row)]))
}

function healthOf({ isActive, hours, lastAcceptedAt, at, ...last }: Row): WebhookHealth {
  const { accepted, statusCode, error, deliveryId, body } = last
  const sum = (pick: (hour: Row['hours'][number]) => number) =>
    hours.reduce((all, hour) => all + pick(hour), 0)
  return {
    health: endpointHealth(isActive, hours),
    requests: sum(hour => hour.requests),
    accepted: sum(hour => hour.accepted),
    lastAcceptedAt,
    lastAnswer:
      at === null
        ? null
        : {
            at,
            accepted,
            answer: statusCode === null ? (error ?? 'no answer') : `HTTP ${statusCode}`,
            deliveryId,
            body,
          },
  }
}
