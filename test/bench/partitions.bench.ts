// What archived months cost: CPU of Postgres for an insert and for each kind of read, with the statements that the store
// sends, where 59 of 60 months were archived, and where nothing was. docs/decisions.md says what followed.
import {
  openStore,
  readEventPage,
  readEventPlaces,
  readOneTimePage,
  readPaymentsBySeq,
  listEventsAfter,
  listSubscribers,
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
/** As long as the shortest page of the last month. */
const PAGE = { limit: 20, offset: 0 }
const ONE = { limit: 1, offset: 0 }

interface Layout {
  pool: Pool
  store: Store
  applicationName: string
  filled: FilledEvents
}

/** A copy of the filled events, all months but the last of it archived. */
async function openLayout(context: BenchContext, events: number, isArchived: boolean): Promise<Layout> {
  const { url, pool, filled } = await copyFilled(context, events)
  if (isArchived) {
    await pool.query('alter table events attach partition archived_events for values in (true)')
    await pool.query(
      `update events set archived = true where position <= ${Math.floor((events * (MONTHS - 1)) / MONTHS)}`,
    )
    await pool.query('vacuum (full, analyze) live_events')
  }
  await pool.query('vacuum analyze live_events, archived_events')
  const applicationName = `partitions ${isArchived ? 'archived' : 'live'}`
  const store = openStore({ DATABASE_URL: url, poolSize: 1, applicationName })
  context.teardown(() => store.close())
  return { pool, store, applicationName, filled }
}

/** By question, what the store is asked: of the last month where the question is for a list. */
const questionsOf = (
  filled: FilledEvents,
  events: number,
): Record<string, (store: Store) => Promise<unknown>> => {
  const late = events - 100
  const [gateway, paymentPolicy, trackingId] = [
    filled.gateways[3]!,
    filled.policies[7],
    filled.trackingIds[7]!,
  ]
  return {
    'a page of the newest events': store => readEventPage(store, {}, PAGE, new Map()),
    'a page of a gateway': store => readEventPage(store, { gateway }, PAGE, new Map()),
    'the last event of a policy': store => readEventPage(store, { paymentPolicy }, ONE, new Map()),
    'the last payment of a tracking ID': store => readOneTimePage(store, trackingId, ONE, new Map()),
    'payments of a tracking ID': store => readOneTimePage(store, trackingId, PAGE, new Map()),
    'five payments by seq': store => readPaymentsBySeq(store, [{ trackingId, from: 1, to: 5 }]),
    'subscribers of a gateway': store => listSubscribers(store, gateway, PAGE),
    'the events of a signature': store =>
      readEventPage(store, { signature: filled.signatureOf(late) }, PAGE, new Map()),
    'an event by its id': store => readEventPlaces(store, ['00000000-0000-4000-8000-000000000000']),
    'a page of the stream': store =>
      listEventsAfter(store, { after: BigInt(late), upTo: BigInt(late + 50), limit: 50 }, new Map()),
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

/** CPU to insert events that continue the stored ones: each turn inserts others. */
const insertCpu =
  ({ pool }: Layout, label: string, count: number) =>
  async (): Promise<number> => {
    const client = await pool.connect()
    const applicationName = `insert ${label}`
    try {
      await client.query(`set application_name = '${applicationName}'`)
      await client.query(
        `create temporary table fresh as
           select * from live_events where position < ${FRESH_FROM} order by occurred_at desc limit ${count};
         create temporary table page (like fresh);
         update fresh set id = gen_random_uuid(), signature = left(md5(id::text || clock_timestamp()) || signature, 88),
                position = position + (select max(position) / ${FRESH_FROM} + 1 from live_events) * ${FRESH_FROM},
                seq = seq + (select max(position) / ${FRESH_FROM} + 1 from live_events) * ${FRESH_FROM}`,
      )
      let cpu = 0
      for (let at = 0; at < count; at += BATCH) {
        await client.query(
          `truncate page; insert into page select * from fresh order by position offset ${at} limit ${BATCH}`,
        )
        const before = await backendMicroseconds(pool, applicationName)
        await client.query('insert into live_events select * from page')
        cpu += (await backendMicroseconds(pool, applicationName)) - before
      }
      return cpu / count
    } finally {
      client.release(true)
    }
  }

export const bench: Bench = {
  name: 'partitions',
  about: `CPU of Postgres for inserts and reads, where ${MONTHS - 1} of ${MONTHS} months were archived, and where nothing was`,
  async run(context) {
    const events = context.quick ? 3_000 : 120_000
    const live = await openLayout(context, events, false)
    const archived = await openLayout(context, events, true)
    const rounds = context.quick ? 1 : 5
    const row = (subject: string, { subject: measured, limit }: { subject: Measure; limit: Measure }) => ({
      subject,
      unit: 'µs of CPU',
      largerIsBetter: false,
      measured,
      limit: { name: 'nothing archived', measured: limit },
      note: 'goal: at most 1.1',
    })
    const inserted = context.quick ? 50 : 2_000
    const insert = (layout: Layout, label: string) => insertCpu(layout, label, inserted)
    const rows = [row('an insert', await inTurns(rounds, insert(archived, 'archived'), insert(live, 'live')))]
    const times = context.quick ? 2 : 100
    for (const [question, ask] of Object.entries(questionsOf(live.filled, events))) {
      // Behind the first five executions Postgres may keep a plan.
      for (const { store } of [live, archived]) for (let n = 0; n < 10; n++) await ask(store)
      rows.push(row(question, await inTurns(rounds, cpuOf(archived, ask, times), cpuOf(live, ask, times))))
      context.say(question)
    }
    return rows
  },
}
