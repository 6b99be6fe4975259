// Ingest's top rate over so many events stored: a backlog in JetStream, worked off by the real service, beside two
// limits over the same database: the same statements fed from memory, and the least that Postgres can do for the
// same rows. They take turns; the feed of each is its own, so that no event is stored twice.
import { type Pool } from '@payment-tracking/testkit'
import { finished } from 'node:stream/promises'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { readMessage, type ChainEvent } from '@payment-tracking/domain'
import { commitBatch, type ReceivedMessage } from '@payment-tracking/store/ingest'
import { openStore, type Store } from '@payment-tracking/store/core'
import { from as copyFrom } from 'pg-copy-streams'
import { takeTurns, type Bench, type Measure } from './bench.js'
import { openFeed, type Feed } from './feed.js'
import { copyFilled } from './fill.js'
import {
  addWebhooks,
  BATCH_SIZE,
  MIX,
  openBenchStream,
  readHead,
  startIngest,
  waitForHead,
} from './ingest-stream.js'

const PROGRAM = { programId: DEFAULT_PROGRAM_ID, requireProgramId: false }

const perSecond = (events: number, startedAt: number) => (events / (performance.now() - startedAt)) * 1_000

/** Reads messages of a feed as ingest does, as it hands them to the store. */
export const readAll = (messages: Awaited<ReturnType<Feed['next']>>): ReceivedMessage[] =>
  messages.map(({ bytes }, index) => {
    const read = readMessage(bytes, PROGRAM)
    if (!read.ok) throw new Error(`the feed is refused: ${read.refusal.reason}`)
    return { event: read.event, bytes, subject: '', streamSequence: index + 1 }
  })

/** @param size of a batch */
export async function commitAll(
  store: Store,
  received: readonly ReceivedMessage[],
  size = BATCH_SIZE,
): Promise<void> {
  for (let start = 0; start < received.length; start += size) {
    const batch = {
      stream: { name: 'BENCH', createdAt: new Date(0) },
      received: received.slice(start, start + size),
      refused: [],
    }
    await commitBatch(store, batch)
  }
}

const COLUMNS =
  'id, position, slot, signature, event_index, name, data, occurred_at, fingerprint, stream_sequence, gateway, payment_policy, user_payment, authority, recipient, tracking_id, seq, amount, paid_at, record_id, payer, token_mint, transaction_index, commitment'

/** A row as COPY wants it; nothing in the feed but JSON needs an escape. */
export function toCopyLine(event: ChainEvent, position: number): string {
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
export async function copyAll(pool: Pool, lines: readonly string[]): Promise<void> {
  const client = await pool.connect()
  try {
    const stream = client.query(copyFrom(`copy bare_events (${COLUMNS}) from stdin`))
    stream.end(lines.join(''))
    await finished(stream)
  } finally {
    client.release()
  }
}

/** A bench of ingest over so many events. */
export const ingestLoadBench = (name: string, stored: { full: number; quick: number }): Bench => ({
  name,
  about: `JetStream → committed with projections, aggregates, seq and delivery rows, over ${stored.full.toLocaleString('en')} events`,
  async run(context) {
    const [count, messages, rounds] = context.quick ? [stored.quick, 2_000, 1] : [stored.full, 60_000, 3]
    const { url, pool } = await copyFilled(context, count)
    await pool.query('create table bare_events (like events including defaults)')
    const store = openStore({ DATABASE_URL: url, poolSize: 2 })
    context.teardown(() => store.close())
    const [memory, bare] = await Promise.all(['memory', 'bare'].map(openFeed))
    await addWebhooks(pool, memory!)

    const throughStream = async (replicas: number) => {
      const feed = await openFeed(`stream of ${replicas}`)
      await addWebhooks(pool, feed)
      const stream = await openBenchStream(context)
      const processes = await Promise.all(
        Array.from({ length: replicas }, () => startIngest(context, url, stream)),
      )
      return async () => {
        for (const process of processes) process.signal('SIGSTOP')
        await stream.publish(await feed.next(messages))
        const head = (await readHead(pool)) + messages
        const startedAt = performance.now()
        for (const process of processes) process.signal('SIGCONT')
        await waitForHead(pool, head, 120_000)
        return perSecond(messages, startedAt)
      }
    }
    const fromMemory = async () => {
      const received = readAll(await memory!.next(messages))
      const startedAt = performance.now()
      await commitAll(store, received)
      return perSecond(messages, startedAt)
    }
    const byCopy = async () => {
      const lines = readAll(await bare!.next(messages)).map(({ event }, index) => toCopyLine(event, index))
      const startedAt = performance.now()
      for (let start = 0; start < lines.length; start += BATCH_SIZE) {
        await copyAll(pool, lines.slice(start, start + BATCH_SIZE))
      }
      return perSecond(messages, startedAt)
    }
    const [ofOne, ofTwo, ofMemory, ofCopy] = await takeTurns(rounds, [
      await throughStream(1),
      await throughStream(2),
      fromMemory,
      byCopy,
    ])
    const row = (processes: string, measured: Measure) => ({
      subject: `a backlog of ${messages.toLocaleString('en')} messages, ${processes}, ${count.toLocaleString('en')} events stored`,
      unit: 'events/s',
      largerIsBetter: true,
      measured,
      note: MIX,
    })
    const memoryFed = { name: 'the same statements fed from memory', measured: ofMemory! }
    const copied = { name: 'COPY of the same rows into a table without indexes', measured: ofCopy! }
    return [
      { ...row('one process', ofOne!), limit: memoryFed },
      { ...row('two processes', ofTwo!), limit: memoryFed },
      { ...row('one process', ofOne!), limit: copied },
    ]
  },
})
