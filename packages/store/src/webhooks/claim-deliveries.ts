import type { PreparedSql } from '../prepared-sql.js'
import { translated } from '../translated.js'

/** What a claim made of one delivery. */
export type Claim =
  | { kind: 'claimed'; delivery: ClaimedDelivery }
  /** its time has not come; `dueInMs` by the database's clock */
  | { kind: 'early'; id: bigint; dueInMs: number }
  /** delivered, failed, cancelled, being sent by somebody else, or gone: nothing to do */
  | { kind: 'nothing'; id: bigint; state: string | null }

export interface ClaimedDelivery {
  id: bigint
  webhookId: bigint
  attemptId: bigint
  /** counts all attempts of the delivery from 1 */
  attempt: number
  /** tries of this round after this one */
  triesLeft: number
  /** tries of this round, this one included */
  triesMade: number
  messageId: string
  body: string
  endpointUrl: string
  /** one, or during a rotation two */
  secrets: string[]
  openedAt: Date
  /** the trace its payment came with, when ingest was told to trace */
  traceParent: string | null
}

interface Row {
  id: bigint
  attempt_id: bigint | null
  attempt: number | null
  tries_allowed: number | null
  webhook_id: bigint | null
  message_id: string | null
  body: string | null
  endpoint_url: string | null
  secret: string | null
  previous_secret: string | null
  opened_at: Date | null
  trace_parent: string | null
  state: string | null
  due_in_ms: number | null
}

/** Tries of one round: 1 and at most 3 retries. A redelivery allows as many more. */
const ROUND = 4

/**
 * Claims deliveries for sending and writes their attempt rows, in one statement: when it returns, the attempts
 * are on record and the requests may leave.
 *
 * Locks the open, due and unclaimed rows among `ids` (`for update skip locked`), so of several callers one gets
 * each. A claim ends by itself after `leaseMs`: what a dead worker held is then claimed again, its open attempt
 * is closed as `interrupted`, and it counts as a try. Rows of inactive webhooks become `cancelled`, rows whose
 * last allowed try was interrupted become `failed`.
 */
export async function claimDeliveries(
  sql: PreparedSql,
  ids: readonly string[],
  leaseMs: number,
): Promise<Claim[]> {
  const rows = await translated(
    () => sql.$queryRaw<Row[]>`
    with locked as (
      select d.id, w.id as webhook_id, w.endpoint_url, w.secret,
             case when w.previous_secret_expires_at > clock_timestamp() then w.previous_secret end
               as previous_secret,
             w.active and w.deleted_at is null as active
        from deliveries d join webhooks w on w.id = d.webhook_id
       where d.id = any(${ids}::bigint[]) and d.state in ('pending', 'waiting')
         and d.due_at <= clock_timestamp()
         and (d.claimed_until is null or d.claimed_until < clock_timestamp())
       order by d.id
         for update of d skip locked
    ), claimed as (
      update deliveries d
         set state = 'pending', attempts_made = d.attempts_made + 1, held_since = null, held_reason = null,
             claimed_until = clock_timestamp() + make_interval(secs => ${leaseMs}::float8 / 1000)
        from locked l
       where d.id = l.id and l.active and d.attempts_made < d.tries_allowed
      returning d.id, d.attempts_made, d.tries_allowed, d.message_id, d.body, d.opened_at, d.trace_parent
    ), ended as (
      update deliveries d
         set state = case when l.active then 'failed' else 'cancelled' end,
             last_error = case when l.active then 'interrupted' else 'webhook inactive' end,
             finished_at = clock_timestamp(), claimed_until = null, held_since = null, held_reason = null
        from locked l
       where d.id = l.id and (not l.active or d.attempts_made >= d.tries_allowed)
      returning d.id, d.state
    ), interrupted as (
      update delivery_attempts a set outcome = 'interrupted', finished_at = clock_timestamp()
        from (select id from claimed where attempts_made > 1 union all select id from ended) again
       where a.delivery_id = again.id and a.finished_at is null
    ), attempts as (
      insert into delivery_attempts (delivery_id, number)
      select id, attempts_made from claimed
      returning id, delivery_id
    )
    select asked.id, a.id as attempt_id, c.attempts_made::int as attempt, c.tries_allowed::int as tries_allowed,
           l.webhook_id, c.message_id, c.body, l.endpoint_url, l.secret, l.previous_secret, c.opened_at,
           c.trace_parent,
           coalesce(e.state, d.state) as state,
           case when l.id is null and d.state in ('pending', 'waiting')
                then extract(epoch from d.due_at - clock_timestamp())::float8 * 1000 end as due_in_ms
      from unnest(${ids}::bigint[]) as asked (id)
      left join claimed c on c.id = asked.id
      left join attempts a on a.delivery_id = asked.id
      left join locked l on l.id = asked.id
      left join ended e on e.id = asked.id
      left join deliveries d on d.id = asked.id`,
  )
  return rows.map(toClaim)
}

function toClaim(row: Row): Claim {
  if (row.attempt_id === null) {
    if (row.due_in_ms !== null && row.due_in_ms > 0) {
      return { kind: 'early', id: row.id, dueInMs: Math.ceil(row.due_in_ms) }
    }
    return { kind: 'nothing', id: row.id, state: row.state }
  }
  const triesLeft = row.tries_allowed! - row.attempt!
  return {
    kind: 'claimed',
    delivery: {
      id: row.id,
      webhookId: row.webhook_id!,
      attemptId: row.attempt_id,
      attempt: row.attempt!,
      triesLeft,
      triesMade: ROUND - triesLeft,
      messageId: row.message_id!,
      body: row.body!,
      endpointUrl: row.endpoint_url!,
      secrets: [row.secret!, row.previous_secret].filter(secret => secret !== null),
      openedAt: row.opened_at!,
      traceParent: row.trace_parent,
    },
  }
}
