import { sql, type Sql, type Store } from '../core/database/sql.js'

/**
 * Counts attempts in the hour that runs, as a part of the statement that moves their deliveries: each attempt counts once.
 * Statements that run at the same time take the rows in one order, so they wait for each other and never for ever.
 * SQL: a part of another statement.
 * @param moved a list with "webhookId", outcome and duration
 */
export const countInHour = (moved: Sql): Sql => sql`
  insert into webhook_hours as h (webhook_id, start, accepted, duration, requests)
  select "webhookId", date_trunc('hour', clock_timestamp(), 'UTC'), outcome = 'accepted', duration, count(*)
    from ${moved} m where outcome <> 'interrupted'
   group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (webhook_id, start, accepted, duration) do update set requests = h.requests + excluded.requests`

/** Requests of one class of durations in one span. */
export interface AnsweredRequests {
  start: Date
  accepted: boolean
  duration: number
  requests: bigint
}

/**
 * How an endpoint answered since a time, by hours or days of UTC. An hour has some ten rows and at most 134, whatever is
 * sent, and 62 days of hours are kept.
 */
export const readWebhookHours = (
  { database }: Store,
  webhookId: bigint,
  { by, since }: { by: 'hour' | 'day'; since: Date },
): Promise<readonly AnsweredRequests[]> =>
  database.read<AnsweredRequests>(sql`
    select date_trunc(${by}, start, 'UTC') as start, accepted, duration::int as duration,
           sum(requests)::bigint as requests
      from webhook_hours where webhook_id = ${webhookId} and start >= ${since}
     group by 1, 2, 3`)
