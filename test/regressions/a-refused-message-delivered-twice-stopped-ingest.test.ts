// Symptom: under load the stream delivered a refused message again before its first copy was handled. Both copies were in
// one batch, Postgres refused the batch, and ingest tried it again for ever: no later payment was stored.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { countRows, openTestStore, readFixtureMessages } from '@payment-tracking/testkit'
import { readMessage } from '@payment-tracking/domain'
import type { ReceivedMessage } from '@payment-tracking/store/ingest'
import t from 'tap'
import { storeBatch } from '../../services/ingest/src/pipeline/store-batch.js'

const stream = { name: 'CHAIN_EVENTS', createdAt: new Date(0) }
const subject = 'chain.events.PaymentRecord'

async function open() {
  const { store, pool } = await openTestStore(t)
  const received: ReceivedMessage[] = []
  for (const [at, bytes] of (await readFixtureMessages()).slice(0, 30).entries()) {
    const read = readMessage(bytes, { programId: DEFAULT_PROGRAM_ID, requireProgramId: false })
    if (read.ok) received.push({ streamSequence: at + 10, subject, bytes, event: read.event })
  }
  const letters = async () =>
    (
      await pool.query<{ code: string; sequence: string }>(
        'select code, stream_sequence::text as sequence from dead_letters order by stream_sequence',
      )
    ).rows
  const events = () => countRows(pool, 'events')
  return { store, pool, received, letters, events }
}

const refuse = (streamSequence: number) => ({
  streamSequence,
  subject,
  code: 'NOT_JSON' as const,
  reason: 'the message must be one JSON text in UTF-8',
  bytes: Buffer.from('{'),
})

t.test('a batch that holds a refused message twice is stored, and its message once', async t => {
  const { store, received, letters, events } = await open()
  const batches = await storeBatch(store, { stream, received, refused: [refuse(1), refuse(2), refuse(1)] })
  t.equal(batches.length, 1, 'as one batch')
  t.equal(await events(), new Set(received.map(({ event }) => event.id)).size)
  t.same(await letters(), [
    { code: 'NOT_JSON', sequence: '1' },
    { code: 'NOT_JSON', sequence: '2' },
  ])
})

t.test('a contradiction that comes twice in a batch is one dead letter', async t => {
  const { store, received, letters } = await open()
  const [first] = received
  await storeBatch(store, { stream, received: [first!], refused: [] })
  const other = { ...first!, streamSequence: 900, event: { ...first!.event, fingerprint: 'another' } }
  await storeBatch(store, { stream, received: [other, other], refused: [] })
  t.same(await letters(), [{ code: 'CONFLICT', sequence: '900' }])
})

t.test('a dead letter that cannot be written holds back no other message', async t => {
  const { store, pool, received, letters, events } = await open()
  await pool.query(`create function fault() returns trigger language plpgsql as $$
    begin raise exception 'nobody foresaw this'; end $$`)
  await pool.query(`create trigger fault before insert on dead_letters for each row
    when (new.stream_sequence = 2 and new.code = 'NOT_JSON') execute function fault()`)
  await storeBatch(store, { stream, received, refused: [refuse(1), refuse(2), refuse(3)] })
  t.equal(await events(), new Set(received.map(({ event }) => event.id)).size)
  t.same(await letters(), [
    { code: 'NOT_JSON', sequence: '1' },
    { code: 'INGEST_FAULT', sequence: '2' },
    { code: 'NOT_JSON', sequence: '3' },
  ])
})
