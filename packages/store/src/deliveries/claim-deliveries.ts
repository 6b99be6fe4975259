import { secretsAt, signedBy, type OrderedBy } from '../core/tables/webhooks.js'
import { DELIVERY_TRIES } from '@payment-tracking/contracts'
import type { Store } from '../core/database/open-store.js'
import { bigints, sql } from '../core/database/sql.js'
import {
  ATTEMPTS_KEPT,
  CANCELLED_AT,
  CANCELLED_WHY,
  IS_LIVE,
  IS_OPEN,
  IS_UNCLAIMED,
} from '../core/tables/delivery-rows.js'
import { bodyOf } from '../core/tables/payment-bodies.js'
import { EARLIER_DELIVERY, CHECK_AGAIN_SECONDS, MUST_WAIT } from './ordered-deliveries.js'

/** The result of a claim for one delivery. */
export type Claim =
  | { kind: 'claimed'; delivery: ClaimedDelivery }
  /** the delivery is not due yet, `dueInMs` by the database's clock, and why it waits; null: until its next try */
  | { kind: 'early'; id: bigint; dueInMs: number; reason: string | null }
  /** delivered, failed, cancelled, claimed by another worker, or gone: nothing to do */
  | { kind: 'nothing'; id: bigint; state: string | null }

export interface ClaimedDelivery {
  id: bigint
  webhookId: bigint
  /** of the webhook: it has another one each time that it is turned on */
  activation: number
  /** counts all attempts of the delivery from 1 */
  attempt: number
  /** tries of this cycle after this attempt */
  triesLeft: number
  /** tries of this cycle, including this attempt */
  triesMade: number
  /**
   * By the clock of the database; the request signs it in whole seconds. With the attempt's number it names the claim: the number of a
   * claim that was put back is given again.
   */
  startedAt: Date
  messageId: string
  type: string
  /** as it is stored: `bodyInFormat` makes what is sent */
  body: string
  /** of the webhook */
  format: string
  endpointUrl: string
  /** the secret, and before it ended each that a rotation replaced */
  secrets: string[]
  openedAt: Date
  /** the trace of the delivery's payment, when ingest traces */
  traceParent: string | null
  /** the headers that the webhook's owner chose */
  headers: Record<string, string> | null
  /** requests a second that the webhook's owner chose */
  ratePerSecond: number | null
  /** the next delivery of the webhook, or of its tracking ID, waits for this delivery */
  ordered: boolean
  orderedBy: OrderedBy
  /** the tracking ID, where the webhook ordered by it when the delivery was made; or the expectation */
  orderKey: string | null
}

interface ClaimedRow extends Omit<ClaimedDelivery, 'triesLeft' | 'triesMade'> {
  message: bigint
  triesAllowed: number
}

/**
 * Claims deliveries for sending and writes their attempt rows, in one statement. When the call returns, the attempts
 * are recorded and the requests may leave.
 *
 * Locks the open, due and unclaimed rows among `ids` (`for update skip locked`), so that one of several callers gets
 * each row. A claim expires after `leaseMs`: then another worker can claim a dead worker's delivery. The open attempt
 * is closed as `interrupted`, and counts as a try. Rows that are not live become `cancelled`. Rows whose last allowed try
 * was interrupted become `failed`. Rows of ordered webhooks after an open row of their order become `waiting`. Of a
 * delivery's attempts, the newest 100 stay.
 *
 * Only a row of `deliveries` that somebody has set back has an attempt of the number already. It gives way: a set of other deliveries
 * would fail with it.
 *
 * The clock is rounded to milliseconds as `due_at` is: a delivery that was written as due now can be up to half of one ahead
 * of the exact clock.
 *
 * The statement returns only claimed rows, and combines its parts by arrays and laterals instead of joins. A kept plan
 * knows neither the number of ids nor the later size of the tables: with joins it would compare each row of one part
 * with each row of another (a fifth of Postgres' time at sets of 64), or scan a whole table. SQL: skips locked rows.
 */
export async function claimDeliveries(
  store: Store,
  ids: readonly string[],
  leaseMs: number,
): Promise<Claim[]> {
  const rows = await store.database.writePrepared<ClaimedRow>(sql`
    with locked as (
      select d.id, d.attempts_made >= d.tries_allowed as spent, w.live, w.cancelled_at, w.cancelled_why,
             ${MUST_WAIT} as blocked
        from deliveries d
             cross join lateral (
               select ${IS_LIVE} as live, ${CANCELLED_AT} as cancelled_at, ${CANCELLED_WHY} as cancelled_why, w.ordered,
                      w.ordered_by, w.ordered_within_seconds, w.recover, w.failing_since
                 from webhooks w where w.id = d.webhook_id limit 1) w
       where d.id = any(${bigints(ids)}) and ${IS_OPEN}
         and d.due_at <= clock_timestamp()::timestamptz(3)
         and ${IS_UNCLAIMED}
       order by d.id
         for update of d skip locked
    ), claimed as (
      update deliveries d
         set state = 'pending', attempts_made = d.attempts_made + 1, deferred_since = null, defer_reason = null,
             claimed_until = clock_timestamp() + make_interval(secs => ${leaseMs}::float8 / 1000)
       where d.id = any(array(select id from locked where live and not spent and not blocked))
      returning d.id, d.attempts_made::int as attempt,
                d.tries_allowed::int as "triesAllowed", d.webhook_id as "webhookId", d.activation, d.type, d.message,
                d.opened_at as "openedAt", d.trace_parent as "traceParent",
                d.order_key as "orderKey", clock_timestamp()::timestamptz(3) as "startedAt"
    ), put_off as (
      update deliveries d
         set state = 'waiting', deferred_since = coalesce(d.deferred_since, clock_timestamp()),
             defer_reason = ${EARLIER_DELIVERY},
             due_at = clock_timestamp() + make_interval(secs => ${CHECK_AGAIN_SECONDS}::float8)
       where d.id = any(array(select id from locked where live and not spent and blocked))
    ), ended as (
      update deliveries d
         set (state, last_error, finished_at) = (
               select case when live then 'failed' else 'cancelled' end,
                      case when live then 'interrupted' else cancelled_why end,
                      case when live then clock_timestamp() else cancelled_at end
                 from locked where id = d.id),
             claimed_until = null, deferred_since = null, defer_reason = null
       where d.id = any(array(select id from locked where not live or spent))
      returning d.id
    ), interrupted as (
      update delivery_attempts a set outcome = 'interrupted', finished_at = clock_timestamp()
       where a.finished_at is null and a.delivery_id = any(array(
               select id from claimed where attempt > 1 union all select id from ended))
    ), told as (
      select c.*, w.*
        from claimed c
             cross join lateral (select endpoint_url as "endpointUrl", format, headers, ordered,
                                        ordered_by as "orderedBy", rate_per_second as "ratePerSecond",
                                        ${secretsAt(sql`c."startedAt"`)} as secrets
                                   from webhooks where id = c."webhookId" limit 1) w
    ), attempts as (
      insert into delivery_attempts (delivery_id, number, started_at, signed_by)
      select id, attempt, "startedAt", ${signedBy(sql`secrets`)} from told
      on conflict (delivery_id, number) do update
        set (started_at, signed_by, finished_at, outcome, status_code, error, response_headers, response_body)
          = (excluded.started_at, excluded.signed_by, null, null, null, null, null, null)
    ), forgotten as (
      delete from delivery_attempts where delivery_id = any(array(select id from claimed where attempt > ${ATTEMPTS_KEPT}))
         and number <= (select attempt - ${ATTEMPTS_KEPT} from claimed where id = delivery_id)
    )
    select t.*, m.*
      from told t
           cross join lateral (select l.message_id as "messageId", ${bodyOf('l')} as body from messages l where l.id = t.message limit 1) m`)
  const claims: Claim[] = rows.map(row => ({ kind: 'claimed', delivery: toDelivery(row) }))
  if (rows.length === ids.length) return claims
  const claimed = new Set(rows.map(row => row.id.toString()))
  return [
    ...claims,
    ...(await readUnclaimed(
      store,
      ids.filter(id => !claimed.has(id)),
    )),
  ]
}

/** Why deliveries were not claimed. */
async function readUnclaimed({ database }: Store, ids: readonly string[]): Promise<Claim[]> {
  const rows = await database.read<{
    id: bigint
    state: string
    due_in_ms: number
    reason: string | null
  }>(sql`
    select id, state, defer_reason as reason, extract(epoch from due_at - clock_timestamp())::float8 * 1000 as due_in_ms
      from deliveries where id = any(${bigints(ids)})`)
  const found = new Map(rows.map(row => [row.id.toString(), row]))
  return ids.map(id => {
    const row = found.get(id)
    const open = row?.state === 'pending' || row?.state === 'waiting'
    return open && row.due_in_ms > 0
      ? { kind: 'early', id: row.id, dueInMs: Math.ceil(row.due_in_ms), reason: row.reason }
      : { kind: 'nothing', id: BigInt(id), state: row?.state ?? null }
  })
}

function toDelivery({ triesAllowed, message: _, ...row }: ClaimedRow): ClaimedDelivery {
  const triesLeft = triesAllowed - row.attempt
  return {
    ...row,
    triesLeft,
    triesMade: DELIVERY_TRIES - triesLeft,
  }
}
