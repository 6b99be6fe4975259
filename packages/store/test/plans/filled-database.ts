// A database with about what every read meets: usual events, an old month, a key that is frequent, and what is rare.
import {
  analyzeAll,
  FILL_MESSAGES,
  fillEvents,
  type FilledEvents,
  type Pool,
  type TestContext,
} from '@payment-tracking/testkit'
import type { Store } from '../../src/core/database/open-store.js'
import { openTestStore } from '../open-test-store.js'

export const EVENTS = 24_000
/** The oldest of them are of March 2020. */
export const OLD = 4_000
/** Of these, before Postgres made its statistics. */
const EARLY = 200
/** The events of the policy and the gateway `OFTEN`, all older than the usual events. Half have the tracking ID `SPREAD`. */
export const OF_KEY = 10_000
export const OFTEN = 'often'
export const SPREAD = 'spread'
/** The time and the slot of the n-th of them, a second and a slot after those before it. */
export const oftenAt = (n: number) => new Date(Date.UTC(2025, 11, 1) + n * 1_000)
export const oftenSlot = (n: number) => 300_000_000 + n
const DIRECT = 5_000
const NO_POLICY = '1'.repeat(32)

export interface FilledDatabase {
  pool: Pool
  store: Store
  filled: FilledEvents
  /** a tracking ID with retracted payments */
  retractedId: string
  /** what Postgres may know of the tables; to be called in this order */
  statistics: Record<string, () => Promise<unknown>>
}

/** Fills a database, whose tables Postgres does not analyze by itself. */
export async function openFilledDatabase(t: TestContext): Promise<FilledDatabase> {
  const { store, pool } = await openTestStore(t)
  await pool.query('alter table events set (autovacuum_enabled = off)')
  const filled = await fillEvents(pool, EVENTS, { analyze: false })
  const columns = `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at,
    fingerprint, stream_sequence, gateway, payment_policy, tracking_id, seq, payer, recipient, amount, paid_at, record_id)`
  await pool.query(
    `${columns}
     select gen_random_uuid(), 2000000 + n, ${oftenSlot(0)} + n, 'often' || n, 0, 'PaymentRecord', '{}', 'confirmed',
            timestamptz '2025-12-01Z' + n * interval '1 second', gen_random_uuid(), n, '${OFTEN}', '${OFTEN}',
            case when n % 2 = 0 then '${SPREAD}' else 'of ' || n end, n, 'payer', 'recipient', 1, n, n
       from generate_series(1, ${OF_KEY}) n`,
  )
  // Payments without a policy, with the time of another day.
  await pool.query(
    `${columns}
     select gen_random_uuid(), 1000000 + n, ${oftenSlot(OF_KEY)} + n, 's' || n, n, 'PaymentRecord', '{}', 'confirmed', '2026-01-01',
            gen_random_uuid(), n, $1, '${NO_POLICY}', null, null, 'payer ' || n % 1000, 'recipient ' || n % 1000, 1,
            extract(epoch from '2026-01-01'::timestamptz), 0
       from generate_series(1, ${DIRECT}) n`,
    [filled.gateways[3]],
  )
  await pool.query(
    `update events set paid_at = paid_at - case when position % 2000 = 1 then 200000 else 0 end,
            retracted_at = case when position % 20 = 3 then now() - position * interval '1 minute' end
      where amount is not null and position <= ${EVENTS} and (position % 2000 = 1 or position % 20 = 3)`,
  )
  await pool.query(FILL_MESSAGES)
  const { rows } = await pool.query<{ tracking_id: string }>(
    'select tracking_id from events where retracted_at is not null limit 1',
  )
  const makeOld = (count: number) =>
    pool.query(
      `update events set occurred_at = '2020-03-01Z'::timestamptz + slot % 86400 * interval '1 second', commitment = 'finalized',
              slot = slot - 200000000
        where position <= ${count} and slot > 400000000`,
    )
  return {
    pool,
    store,
    filled,
    retractedId: rows[0]!.tracking_id,
    statistics: {
      'statistics of a time when a month had few events': async () => {
        await makeOld(EARLY)
        await analyzeAll(pool)
        await makeOld(OLD)
      },
      // After a load: Postgres makes statistics minutes later, and a prepared statement may keep its plan.
      'no statistics': async () => {
        await pool.query('delete from pg_statistic s using pg_stat_user_tables u where u.relid = s.starelid')
        await pool.query(`update pg_class set relallvisible = 0 where oid = 'events'::regclass`)
      },
      'statistics of today': () => analyzeAll(pool),
    },
  }
}
