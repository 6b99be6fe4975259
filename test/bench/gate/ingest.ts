// Three rows of ingest. Each measures the CPU that one event costs this process and its connection to Postgres:
// - "ingest of an event": events come in batches. The limit is COPY of the same rows into a table without indexes.
// - "ingest of an event that comes alone": a batch has one event. The limit is the same.
// - "ingest beside 100,000 open expectations": the events pay none of these. The limit is the same events without expectations.
// The messages come from memory, because NATS cuts its batches differently in each run.
import { finished } from 'node:stream/promises'
import type { ChainEvent } from '@payment-tracking/domain'
import { commitBatch, type ReceivedMessage } from '@payment-tracking/store/ingest'
import { openStore, type Store } from '@payment-tracking/store/core'
import { analyzeAll, createDatabase, fillEvents, openPool, type Pool } from '@payment-tracking/testkit'
import { from as copyFrom } from 'pg-copy-streams'
import type { BenchContext, GateKind } from '../bench.js'
import { watchBackends } from '../cpu.js'
import { openFeed, type Feed } from '../feed.js'
import { BATCH_SIZE, inBatches, readAll } from '../ingest-batches.js'
import { BESIDE_EXPECTATIONS } from './judge.js'

const EVENTS = 4_000
const LONE_EVENTS = 500
const [OF_BATCHES, ALONE] = ['ingest of an event', 'ingest of an event that comes alone']
const [SUBJECT, LIMIT] = ['gate-ingest', 'gate-copy']

/** As many as a gateway may have open. */
const EXPECTED = 100_000

/** A database with 10,000 events, where one payment of the feed in five has a webhook: those of every fifth gateway. */
async function openFilled(context: BenchContext, feed: Feed) {
  const { url, pool } = await createDatabase(context, { serverUrl: context.servers.databaseUrl })
  await fillEvents(pool, 10_000)
  await pool.query(
    `insert into webhooks (gateway, endpoint_url, secret)
     select gateway, 'https://receiver.invalid/', 'whsec_AAAA' from unnest($1::text[]) gateway`,
    [feed.gateways.filter((_, index) => index % 5 === 0)],
  )
  return { url, pool }
}

/** @param size of a batch */
async function commitAll(store: Store, received: readonly ReceivedMessage[], size?: number): Promise<void> {
  for (const batch of inBatches(received, size)) await commitBatch(store, batch)
}

const COLUMNS =
  'id, position, slot, signature, event_index, name, data, occurred_at, fingerprint, stream_sequence, gateway, payment_policy, user_payment, authority, recipient, tracking_id, seq, amount, paid_at, record_id, payer, token_mint, transaction_index, commitment'

/** A row as COPY wants it; nothing in the feed but JSON needs an escape. */
function toCopyLine(event: ChainEvent, position: number): string {
  const payment = event.effect.kind === 'payment' ? event.effect : null
  const values = [
    ...[event.id, position, event.slot, event.signature, event.index, event.name],
    ...[event.data.replaceAll('\\', '\\\\'), event.occurredAt.toISOString(), event.fingerprint, position],
    ...[event.gateway, event.paymentPolicy, event.userPayment, event.authority, event.recipient],
    ...[event.trackingId, payment && position, payment?.amount, payment?.paidAt, payment?.recordId],
    ...[payment?.payer, payment?.tokenMint, event.transactionIndex, event.commitment],
  ]
  return `${values.map(value => value ?? '\\N').join('\t')}\n`
}

/** Adds rows to `bare_events`, which has no index. */
async function copyAll(pool: Pool, lines: readonly string[]): Promise<void> {
  const client = await pool.connect()
  try {
    const stream = client.query(copyFrom(`copy bare_events (${COLUMNS}) from stdin`))
    stream.end(lines.join(''))
    await finished(stream)
  } finally {
    client.release()
  }
}

/** @returns a turn of committing the feed, in a database of its own */
async function committing(context: BenchContext, application: string, expectations: number) {
  // The same feed for both.
  const feed = await openFeed('gate, expected')
  const { url, pool } = await openFilled(context, feed)
  const store = openStore({ DATABASE_URL: url, poolSize: 1, applicationName: application })
  context.teardown(() => store.close())
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
    return measure(pool, application, EVENTS, () =>
      commitAll(store, readAll(messages.map(({ bytes }) => bytes))),
    )
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
    const [feed, bare] = [await openFeed('gate'), await openFeed('gate, bare')]
    const { url, pool } = await openFilled(context, feed)
    await pool.query('create table bare_events (like events including defaults)')
    const store = openStore({ DATABASE_URL: url, poolSize: 1, applicationName: SUBJECT })
    context.teardown(() => store.close())
    const copier = openPool(`${url}?application_name=${LIMIT}`, { max: 1 })
    context.teardown(() => copier.end())

    /** @param size of a batch */
    const row = (name: string, events: number, size: number) => ({
      name,
      async subject() {
        const messages = await feed.next(events)
        return measure(pool, SUBJECT, events, () =>
          commitAll(store, readAll(messages.map(({ bytes }) => bytes)), size),
        )
      },
      async limit() {
        const lines = readAll((await bare.next(events)).map(({ bytes }) => bytes)).map(({ event }, index) =>
          toCopyLine(event, index),
        )
        return measure(pool, LIMIT, events, async () => {
          for (let start = 0; start < events; start += size)
            await copyAll(copier, lines.slice(start, start + size))
        })
      },
    })
    return [row(OF_BATCHES, EVENTS, BATCH_SIZE), row(ALONE, LONE_EVENTS, 1)]
  },
}
