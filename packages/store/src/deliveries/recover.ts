import type { DeliveryRef } from '@payment-tracking/contracts'
import { BACKOFFS_WHILE_FAILING } from '@payment-tracking/domain'
import { raw, sql, type Sql, type Store } from '../core/database/sql.js'
import { isNotQuarantined, isolate } from '../core/quarantine/isolate.js'
import { IS_ACTIVE, IS_OPEN, IS_RECOVERABLE } from '../core/tables/delivery-rows.js'
import { openCycle } from './open-cycle.js'
import { EARLIER_DELIVERY } from './ordered-deliveries.js'

export interface Recovery {
  /** the delay of the first retry: backoffs are counted in it */
  backoffMs: number
  /** deliveries of one call */
  limit: number
}

const MAY_RECOVER = sql`${IS_RECOVERABLE} and ${isNotQuarantined('recover-deliveries', sql`d.id::text`)}`
/** The most failed deliveries, and the most open ones, of a webhook that are read to choose its probes. */
const PROBE_READS = raw('100')
/** The second is tried after the first, which may be a message that the endpoint cannot take. */
const PROBES = raw('2')

// The rules of domain/deliveries/recovery.ts as SQL over deliveries `d`.
/** How many cycles a delivery has had. */
const CYCLE = raw(`least(greatest(ceil(d.attempts_made / 4.0)::int, 1), ${BACKOFFS_WHILE_FAILING.length})`)
const BACKOFF = raw(`((array[${BACKOFFS_WHILE_FAILING.join()}]::float8[])[${CYCLE.text}])`)

/** @param unitMs the delay of the first retry */
const times = (backoff: Sql, unitMs: number): Sql =>
  sql`make_interval(secs => ${backoff} * ${unitMs}::float8 / 1000)`

/** How long a failed delivery backs off while its endpoint answers. */
const backoffWhileAnswering = (unitMs: number): Sql => times(raw('d.attempts_made'), unitMs)
/** How long it backs off while its endpoint fails. */
const backoffWhileFailing = (unitMs: number): Sql => times(BACKOFF, unitMs)

/**
 * Opens a new cycle for failed deliveries of webhooks with `recover` whose backoff is over. Where the endpoint answers
 * (`failing_since` is null after any success), these are all of them; where it fails, and no other delivery asks whether it is
 * back, two. Several workers may call it at once.
 * Bounded: at most `limit` webhooks and rows, by webhooks_recover and deliveries_failed_webhook; each webhook is asked for its
 * oldest failures. Without that order, Postgres read the failures of all webhooks for each.
 */
export async function recoverFailed(store: Store, of: Recovery): Promise<DeliveryRef[]> {
  const answering = await store.database.read<{ id: bigint }>(sql`
    select f.id
      from ${webhooks(sql`w.failing_since is null`, of.limit)}
     cross join lateral (
        select d.id from deliveries d
         where d.webhook_id = w.id and ${MAY_RECOVER}
           and d.finished_at < clock_timestamp() - ${backoffWhileAnswering(of.backoffMs)}
         order by d.finished_at limit ${of.limit}) f
     order by f.id limit ${of.limit}`)
  const probes = await findProbes(store, of)
  const ids = [...answering.map(({ id }) => id), ...probes]
  const opened = await isolate(store, 'recover-deliveries', ids, some =>
    openCycle(store, { ids: some, states: ['failed'] }),
  )
  return opened.flat()
}

const webhooks = (which: Sql, limit: number): Sql => sql`
  (select w.id, w.ordered, w.ordered_within_seconds, w.activation from webhooks w
    where w.recover and ${IS_ACTIVE} and ${which} order by random() limit ${limit}) w`

/**
 * Chooses two failed deliveries of each failing webhook that has no delivery under way: those whose backoff is over, the longest
 * failed first. Of an ordered webhook it chooses the two earliest, once the backoff of the first is over, so that nothing overtakes
 * the first when the endpoint is back. Reads the oldest and the newest failures: the newest are those that asked last.
 */
async function findProbes({ database }: Store, { backoffMs, limit }: Recovery): Promise<bigint[]> {
  const failures = (order: Sql): Sql => sql`
    (select d.* from deliveries d
      where d.webhook_id = w.id and ${IS_RECOVERABLE} order by d.finished_at ${order} limit ${PROBE_READS})`
  const orderEnds = sql`d.created_at + make_interval(secs => w.ordered_within_seconds)`
  // With its last cycle in that time, a delivery of an ordered webhook ends to hold others back.
  const hasBackedOff = sql`(d.finished_at < clock_timestamp() - ${backoffWhileFailing(backoffMs)}
    or w.ordered and d.finished_at <= ${orderEnds} and ${orderEnds} < clock_timestamp())`
  const order = sql`case when w.ordered then d.id end, d.finished_at`
  const rows = await database.read<{ id: bigint }>(sql`
    select f.id
      from ${webhooks(sql`w.failing_since is not null`, limit)}
     cross join lateral (
        select d.id, first_value(${hasBackedOff}) over (order by ${order}) as may_ask
          from (${failures(raw('asc'))} union ${failures(raw('desc'))}) d
         where ${MAY_RECOVER} and (w.ordered or ${hasBackedOff})
         order by ${order} limit ${PROBES}) f
     where f.may_ask
       and not exists (
         select from (select d.defer_reason from deliveries d
                       where d.webhook_id = w.id and d.activation = w.activation and ${IS_OPEN}
                       order by d.id limit ${PROBE_READS}) o
          where o.defer_reason is distinct from ${EARLIER_DELIVERY})
     order by f.id limit ${limit}`)
  return rows.map(({ id }) => id)
}
