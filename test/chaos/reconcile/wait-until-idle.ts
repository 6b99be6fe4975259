// Waits, only on conditions, until the system has finished its work. An unmet condition is no error yet: reconciliation
// reports the missing results.
import { waitFor } from '@payment-tracking/testkit'
import { contiguousOf } from '../load/socket-client.js'
import { SIEGED_TRACKING_ID } from '../plan/socket-plan.js'
import { SEATS, type System } from '../system/open-system.js'
import { mayBeDeferred } from './compare-deliveries.js'
import { OVERDUE_AFTER_SECONDS } from './compare-lifecycle.js'
import type { ObservedRun } from './reconcile.js'

const isSieged = ([trackingId]: readonly [string, unknown]): boolean => trackingId === SIEGED_TRACKING_ID

/** A system that still moves may take so many times as long: on a loaded machine, hundreds of webhooks are sent during the rest. */
const LONGEST = 4

/**
 * @param withinMs how long nothing may move before a condition counts as unmet
 * @returns the unmet conditions
 */
export async function waitUntilIdle(
  {
    publisher,
    expecter,
    checker,
    endpoints,
    clients,
    watchers,
    follower,
    system,
  }: ObservedRun & { system: System },
  withinMs: number,
): Promise<string[]> {
  const unrest: string[] = []
  const last = performance.now() + LONGEST * withinMs
  // What dead endpoints are asked never ends.
  const lively = endpoints.filter(({ behaviour }) => behaviour !== 'dead')
  const countMoves = () =>
    lively.reduce((sum, { receiver }) => sum + receiver.requests.length, follower.events.length)
  let [moves, end] = [-1, 0]
  const check = (): void => {
    const now = countMoves()
    if (now !== moves) end = Math.min(last, performance.now() + withinMs)
    moves = now
  }
  const until = async (what: string, holds: () => Promise<boolean> | boolean): Promise<void> => {
    const checkAndAsk = () => {
      check()
      return holds()
    }
    for (;;) {
      check()
      const timeoutMs = Math.max(1, end - performance.now())
      try {
        await waitFor(checkAndAsk, { what, timeoutMs, intervalMs: 200 })
        return
      } catch {
        if (performance.now() < end) continue
        unrest.push(`rest: ${what} did not come about`)
        return
      }
    }
  }
  const none = async (query: string, values: unknown[] = []) =>
    (await checker.query(query, values)).length === 0

  await until('a stream without lag', async () => (await publisher.lag()) === 0)
  await until('a database that lacks nothing', () =>
    none('select 1 from stream_head where reingest_from is not null'),
  )
  await until('extremes that are all found again', () =>
    none(`select 1 from work where kind not in ('cancel', 'redeliver') limit 1`),
  )
  await until('answers to all that is expected', () => expecter.waiting === 0)
  await until('batches all handed over', () =>
    none('select 1 from ingest_batches where relayed_at is null limit 1'),
  )
  await until('expectations that time ends no more', () =>
    none('select 1 from expectations where counting or next_check_at is not null limit 1'),
  )
  const ofPolicies = endpoints.filter(({ behaviour }) => behaviour === 'lifecycle')
  await until('overdue policies that were all told', () =>
    none(
      `select 1 from policies p
        where p.gateway = any($1::text[]) and p.live and p.status = 'active'
          and p.policy_type::text like '{"Subscription"%'
          and p.next_payment_due < extract(epoch from clock_timestamp()) - $2::integer
          and not exists (select from policy_notices n
                           where n.policy = p.address and n.type = 'subscription.overdue' and n.at = p.next_payment_due)
        limit 1`,
      [ofPolicies.map(({ gateway }) => gateway), OVERDUE_AFTER_SECONDS],
    ),
  )
  await until('deliveries all ended, or held back by a breaker', () =>
    none(
      `select 1 from deliveries where webhook_id = any($1::bigint[]) and state in ('pending', 'waiting')
          and (defer_reason is distinct from 'breaker open' or webhook_id <> all($2::bigint[])) limit 1`,
      [lively, lively.filter(mayBeDeferred)].map(each => each.map(({ webhookId }) => webhookId)),
    ),
  )
  const heads = new Map(
    (
      await checker.query<{ tracking_id: string; head: string }>(
        'select tracking_id, head::text from trackings',
      )
    ).map(row => [row.tracking_id, Number(row.head)]),
  )
  // More clients want the sieged tracking ID than there are seats: of them, only who has a seat.
  const following = () =>
    clients.flatMap(({ plan, followed }) =>
      [...followed].filter(([, { hold }]) => plan.kind !== 'contender' || hold),
    )
  const [head] = await checker.query<{ epoch: string }>('select epoch::text from stream_head')
  await until('clients that know which database there is', () =>
    following().every(([, { epoch }]) => epoch === head!.epoch),
  )
  await until('clients that know everything', () =>
    following().every(([trackingId, each]) => contiguousOf(each) >= (heads.get(trackingId) ?? 0)),
  )
  const retracted = await checker.query<{ id: string; tracking_id: string; seq: string }>(
    `select id, tracking_id, seq::text from events
      where retracted_at is not null and seq is not null and tracking_id is not null`,
  )
  await until('clients that know of every retraction', () =>
    retracted.every(
      ({ id, tracking_id, seq }) =>
        following().every(
          ([trackingId, each]) => trackingId !== tracking_id || each.retracted.has(Number(seq)),
        ) && watchers.every(watcher => watcher.trackingId !== tracking_id || watcher.retracted.has(id)),
    ),
  )
  // A seat that is never free again would be lost to everybody: of more clients than seats, as many are admitted as there are seats.
  await until('seats that are all taken', () => following().filter(isSieged).length === SEATS)
  await until('published clients that know everything', () =>
    watchers.every(
      ({ trackingId, eventIds, retracted }) =>
        new Set([...eventIds, ...retracted]).size >= (heads.get(trackingId) ?? 0),
    ),
  )
  await until('a stream of events that brought everything', async () => {
    const [head] = await checker.query<{ position: string }>('select position::text from stream_head')
    return follower.events.length >= Number(head!.position)
  })
  await system
    .waitUntilReady(Math.max(1, end - performance.now()))
    .catch((error: unknown) => unrest.push(`rest: ${(error as Error).message}`))
  return unrest
}
