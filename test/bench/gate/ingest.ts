// Three rows of ingest. Each measures the CPU of this process and of its connection of Postgres to read and commit an event.
// - Events in batches, and events that come alone: beside COPY of the same rows into a table without indexes.
// - Events beside open expectations of which nothing is paid: beside the same events without expectations.
// The messages come from memory: batches of a stream have another size in each run.
import { openStore } from '@payment-tracking/store/core'
import { analyzeAll, openPool, type Pool } from '@payment-tracking/testkit'
import type { BenchContext } from '../bench.js'
import { watchBackends } from '../cpu.js'
import { openFeed } from '../feed.js'
import { copyFilled } from '../fill.js'
import { commitAll, copyAll, readAll, toCopyLine } from '../ingest-load.js'
import { addWebhooks, BATCH_SIZE } from '../ingest-stream.js'
import type { GateKind } from './gate-kind.js'
import { BESIDE_EXPECTATIONS } from './judge.js'

const EVENTS = 4_000
const LONE_EVENTS = 500
const [OF_BATCHES, ALONE] = ['ingest of an event', 'ingest of an event that comes alone']
const [SUBJECT, LIMIT] = ['gate-ingest', 'gate-copy']

/** As many as a gateway may have open. */
const EXPECTED = 100_000

/** @returns a turn of committing the feed, in a database of its own */
async function committing(context: BenchContext, application: string, expectations: number) {
  const { url, pool } = await copyFilled(context, 10_000)
  const store = openStore({ DATABASE_URL: url, poolSize: 1, applicationName: application })
  context.teardown(() => store.close())
  // The same feed for both.
  const feed = await openFeed('gate, expected')
  await addWebhooks(pool, feed)
  await pool.query(
    `insert into expectations (gateway, tracking_id, recipient, token_mint, amount, expires_at, next_check_at)
     select $1, 'expected-' || n, $1, $1, 1000000, e.at, e.at
       from generate_series(1, $2::int) n cross join lateral (select now() + n * interval '1 min' as at) e`,
    [feed.gateways[0], expectations],
  )
  await pool.query(
    `insert into trackings (tracking_id, head, expected) select tracking_id, 0, true from expectations`,
  )
  await analyzeAll(pool)
  return async () => {
    const messages = await feed.next(EVENTS)
    return measure(pool, application, EVENTS, () => commitAll(store, readAll(messages)))
  }
}

/** @returns CPU of this process and of the connections of `application` for an event, in µs */
async function measure(
  pool: Pool,
  application: string,
  events: number,
  work: () => Promise<void>,
): Promise<number> {
  const [before, backends] = [process.cpuUsage(), await watchBackends(pool, application)]
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system + (await backends())) / events
}

export const ingestExpected: GateKind = {
  rows: [BESIDE_EXPECTATIONS],
  async open(context) {
    return [
      {
        name: BESIDE_EXPECTATIONS,
        subject: await committing(context, 'gate-expected', EXPECTED),
        limit: await committing(context, 'gate-unexpected', 0),
      },
    ]
  },
}

export const ingest: GateKind = {
  rows: [OF_BATCHES, ALONE],
  async open(context) {
    const { url, pool } = await copyFilled(context, 10_000)
    await pool.query('create table bare_events (like events including defaults)')
    const store = openStore({ DATABASE_URL: url, poolSize: 1, applicationName: SUBJECT })
    context.teardown(() => store.close())
    const copier = openPool(`${url}?application_name=${LIMIT}`, { max: 1 })
    context.teardown(() => copier.end())
    const [feed, bare] = [await openFeed('gate'), await openFeed('gate, bare')]
    await addWebhooks(pool, feed)

    /** @param size of a batch */
    const row = (name: string, events: number, size: number) => ({
      name,
      async subject() {
        const messages = await feed.next(events)
        return measure(pool, SUBJECT, events, () => commitAll(store, readAll(messages), size))
      },
      async limit() {
        const lines = readAll(await bare.next(events)).map(({ event }, index) => toCopyLine(event, index))
        return measure(pool, LIMIT, events, async () => {
          for (let start = 0; start < events; start += size)
            await copyAll(copier, lines.slice(start, start + size))
        })
      },
    })
    return [row(OF_BATCHES, EVENTS, BATCH_SIZE), row(ALONE, LONE_EVENTS, 1)]
  },
}
