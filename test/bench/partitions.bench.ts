// What monthly partitions of `events` would cost: CPU of Postgres for an insert and for each kind of read, with the
// statements that the store sends, over 60 partitions and over one. docs/decisions.md says what followed.
import {
  openStore,
  readEventPage,
  readEventPlaces,
  readOneTimePage,
  listEventsAfter,
  readMigrations,
  type Store,
} from '@payment-tracking/store'
import type { FilledEvents, Pool } from '@payment-tracking/testkit'
import { inTurns, type Bench, type BenchContext, type Measure } from './bench.js'
import { backendMicroseconds, microsecondsByBackend } from './cpu.js'
import { copyFilled } from './fill.js'

const MONTHS = 60
const BATCH = 500
/** Above the positions of the filled events. */
const FRESH_FROM = 1_000_000
const PAGE = { limit: 50, offset: 0 }

/** A unique index of a partitioned table must hold the partitions' key. */
const PARTITIONED = [
  ['id uuid primary key', 'id uuid not null'],
  [
    'awaits_policy boolean not null default false\n)',
    'awaits_policy boolean not null default false, primary key (id, occurred_at)) partition by range (occurred_at)',
  ],
  ['on events (position)', 'on events (position, occurred_at)'],
  ['on events (tracking_id, seq) where', 'on events (tracking_id, seq, occurred_at) where'],
] as const

/** The statements of the migration that make `events` and its indexes, for a partitioned table. */
async function partitionedEvents(): Promise<string> {
  const [init] = await readMigrations()
  const text = init!.sql.slice(init!.sql.indexOf('create table events ('))
  return PARTITIONED.reduce(
    (made, [plain, changed]) => {
      if (!made.includes(plain)) throw new Error(`the migration no longer says: ${plain}`)
      return made.replace(plain, changed)
    },
    text.slice(0, text.indexOf('create table trackings')),
  )
}

/** Fresh events have times of the last month. */
const partitionsOf = (count: number): string =>
  count === 1
    ? `create table events_all partition of events default`
    : `do $$ begin for m in 0..${MONTHS - 1} loop
         execute format('create table events_%s partition of events for values from (%L) to (%L)', m,
           timestamptz '2021-01-01 UTC' + m * interval '1 month', timestamptz '2021-01-01 UTC' + (m + 1) * interval '1 month');
       end loop; end $$; create table events_other partition of events default`

/** The same events with times spread over the months, in a schema of its own. */
async function fillLayout(pool: Pool, schema: string, partitions: number, events: number): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query(`create schema ${schema}; set search_path = ${schema}`)
    await client.query(await partitionedEvents())
    await client.query(partitionsOf(partitions))
    const { rows } = await client.query<{ columns: string; values: string }>(
      `select string_agg(attname, ', ' order by attnum) as columns,
              string_agg(case attname when 'occurred_at' then
                'timestamptz ''2021-01-01 UTC'' + (position - 1) * (interval ''1 month'' * ${MONTHS} / ${events})'
                else attname::text end, ', ' order by attnum) as values
         from pg_attribute where attrelid = 'public.events'::regclass and attnum > 0`,
    )
    const { columns, values } = rows[0]!
    await client.query(
      `insert into events (${columns}) select ${values} from public.events order by position`,
    )
    // A directory of all events: what finds a repetition, or an event by its id, whatever its time.
    await client.query(
      `create table identities (id uuid primary key, occurred_at timestamptz(3) not null);
       insert into identities select id, occurred_at from events`,
    )
    await client.query('vacuum analyze events, identities')
  } finally {
    client.release(true)
  }
}

interface Layout {
  pool: Pool
  schema: string
  store: Store
  applicationName: string
}

/** A store whose statements find the events of a layout. */
function openLayout(
  context: BenchContext,
  { url, pool }: { url: string; pool: Pool },
  schema: string,
): Layout {
  const settings = new URL(url)
  settings.searchParams.set('options', `-c search_path=${schema},public`)
  const applicationName = `partitions ${schema}`
  const store = openStore({ DATABASE_URL: settings.href, poolSize: 1, applicationName })
  context.teardown(() => store.close())
  return { pool, schema, store, applicationName }
}

/** By question, what the store is asked. */
const questionsOf = (
  filled: FilledEvents,
  events: number,
): Record<string, (store: Store) => Promise<unknown>> => {
  const middle = Math.floor(events / 2)
  const [gateway, paymentPolicy, trackingId] = [
    filled.gateways[3],
    filled.policies[7],
    filled.trackingIds[7]!,
  ]
  return {
    'a page of the newest events': store => readEventPage(store, {}, PAGE, new Map()),
    'a page of a gateway': store => readEventPage(store, { gateway }, PAGE, new Map()),
    'a page of a policy': store => readEventPage(store, { paymentPolicy }, PAGE, new Map()),
    'the last payment of a tracking ID': store =>
      readOneTimePage(store, trackingId, { limit: 1, offset: 0 }, new Map()),
    'the events of a signature': store =>
      readEventPage(store, { signature: filled.signatureOf(middle) }, PAGE, new Map()),
    'an event by its id': store => readEventPlaces(store, ['00000000-0000-4000-8000-000000000000']),
    'a page of the stream': store =>
      listEventsAfter(store, { after: BigInt(middle), upTo: BigInt(middle + 50), limit: 50 }, new Map()),
  }
}

const cpuOf =
  ({ pool, store, applicationName }: Layout, ask: (store: Store) => Promise<unknown>, times: number) =>
  async (): Promise<number> => {
    // The pool closes connections that were idle during the other layout's turn.
    await ask(store)
    const before = await microsecondsByBackend(pool, applicationName)
    for (let n = 0; n < times; n++) await ask(store)
    const after = await microsecondsByBackend(pool, applicationName)
    return [...after].reduce((sum, [pid, cpu]) => sum + cpu - (before.get(pid) ?? cpu), 0) / times
  }

/** The newest events of the last month, whose bounds are in the statement: Postgres plans it for one partition. */
const monthCpu =
  ({ pool, schema }: Layout, times: number) =>
  async (): Promise<number> => {
    const client = await pool.connect()
    const applicationName = `month ${schema}`
    const ask = () =>
      client.query({
        name: 'newest of the month',
        text: `select e.id, e.slot, e.signature, e.data::text, e.occurred_at from events e
                where e.occurred_at >= '2025-12-01 UTC' and e.occurred_at < '2026-01-01 UTC'
                order by e.occurred_at desc, e.slot desc, e.event_index desc, e.id desc limit 50`,
      })
    try {
      await client.query(`set application_name = '${applicationName}'; set search_path = ${schema}`)
      for (let n = 0; n < 10; n++) await ask()
      const before = await backendMicroseconds(pool, applicationName)
      for (let n = 0; n < times; n++) await ask()
      return ((await backendMicroseconds(pool, applicationName)) - before) / times
    } finally {
      client.release(true)
    }
  }

/** Also writes the directory, which has all events in one index. */
const WITH_IDENTITIES =
  'with named as (insert into identities select id, occurred_at from page) insert into events select * from page'

/** CPU to insert events that continue the stored ones: each turn inserts others. */
const insertCpu =
  ({ pool, schema }: Layout, count: number, insert = 'insert into events select * from page') =>
  async (): Promise<number> => {
    const client = await pool.connect()
    const applicationName = `insert ${schema}`
    try {
      await client.query(`set application_name = '${applicationName}'; set search_path = ${schema}`)
      await client.query(
        `create temporary table fresh as
           select * from events where position < ${FRESH_FROM} order by occurred_at desc limit ${count};
         create temporary table page (like fresh);
         update fresh set id = gen_random_uuid(), signature = left(md5(id::text || clock_timestamp()) || signature, 88),
                position = position + (select max(position) / ${FRESH_FROM} + 1 from events) * ${FRESH_FROM},
                seq = seq + (select max(position) / ${FRESH_FROM} + 1 from events) * ${FRESH_FROM}`,
      )
      let cpu = 0
      for (let at = 0; at < count; at += BATCH) {
        await client.query(
          `truncate page; insert into page select * from fresh order by position offset ${at} limit ${BATCH}`,
        )
        const before = await backendMicroseconds(pool, applicationName)
        await client.query(insert)
        cpu += (await backendMicroseconds(pool, applicationName)) - before
      }
      return cpu / count
    } finally {
      client.release(true)
    }
  }

export const bench: Bench = {
  name: 'partitions',
  about: `CPU of Postgres for inserts and reads, with ${MONTHS} partitions of events and with one`,
  async run(context) {
    const events = context.quick ? 2_000 : 120_000
    const database = await copyFilled(context, events)
    for (const [schema, count] of [
      ['one', 1],
      ['sixty', MONTHS],
    ] as const)
      await fillLayout(database.pool, schema, count, events)
    const [one, sixty] = [openLayout(context, database, 'one'), openLayout(context, database, 'sixty')]
    const rounds = context.quick ? 1 : 5
    const row = (subject: string, { subject: measured, limit }: { subject: Measure; limit: Measure }) => ({
      ...{ subject, unit: 'µs of CPU', largerIsBetter: false, measured },
      limit: { name: 'one partition', measured: limit },
      note: 'goal of a design with partitions: at most 1.1',
    })
    const inserted = context.quick ? 500 : 2_000
    const insertOne = insertCpu(one, inserted)
    const rows = [
      row('an insert', await inTurns(rounds, insertCpu(sixty, inserted), insertOne)),
      row(
        'an insert that also writes a directory of identities',
        await inTurns(rounds, insertCpu(sixty, inserted, WITH_IDENTITIES), insertOne),
      ),
    ]
    const times = context.quick ? 2 : 100
    rows.push(
      row(
        'a page of the newest month, its bounds in the statement',
        await inTurns(rounds, monthCpu(sixty, times), monthCpu(one, times)),
      ),
    )
    for (const [question, ask] of Object.entries(questionsOf(database.filled, events))) {
      // Behind the first five executions Postgres may keep a plan.
      for (const { store } of [one, sixty]) for (let n = 0; n < 10; n++) await ask(store)
      rows.push(row(question, await inTurns(rounds, cpuOf(sixty, ask, times), cpuOf(one, ask, times))))
      context.say(question)
    }
    return rows
  },
}
