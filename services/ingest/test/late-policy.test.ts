// A composable policy that comes after its payments, and an ingest that dies between commit and announcement.
import { sweepAnnouncements } from '@payment-tracking/store/ingest'
import { insertWebhook, openTestStore, readSecondFixtures } from '@payment-tracking/testkit'
import t from 'tap'
import { ingestSubjects, nameOf } from './ingest-messages.js'

t.test('payments whose policy came late are announced once, though ingest died after the commit', async t => {
  const { store, pool } = await openTestStore(t)
  const messages = await readSecondFixtures()
  const named = (name: string) => messages.filter(({ bytes }) => String(nameOf(bytes)).endsWith(name))
  const early = await ingestSubjects(store, named('ComposableExecuted'))
  const gateways = await pool.query<{ gateway: string }>('select distinct gateway from events')
  for (const { gateway } of gateways.rows) await insertWebhook(pool, gateway)
  // No code relays the batches that this call returns: that is the crash.
  const late = await ingestSubjects(store, named('ComposablePolicyCreated'), { firstSequence: 5_000 })
  const payments = late.flatMap(batch => batch.payments)
  const followed = payments.filter(({ trackingId }) => trackingId !== null).map(({ eventId }) => eventId)
  t.ok(followed.length > 10, `${followed.length} payments got their tracking ID late`)
  const sentBefore = new Set(early.flatMap(batch => batch.payments.map(({ eventId }) => eventId)))
  t.notOk(
    followed.some(eventId => sentBefore.has(eventId)),
    'none was announced before',
  )

  const announced: string[] = []
  const sweep = () =>
    sweepAnnouncements(store, { olderThanMs: 0, limit: 7 }, ({ payments }) => {
      announced.push(...payments.map(({ eventId }) => eventId))
      return Promise.resolve()
    })
  await t.rejects(
    sweepAnnouncements(store, { olderThanMs: 0, limit: 7 }, () => Promise.reject(new Error('Redis is away'))),
    'what Redis did not take stays',
  )
  while ((await sweep()) > 0);
  t.strictSame([...announced].sort(), [...followed].sort(), 'the sweeper announces each of them once')
  const { rows } = await pool.query<{ event_id: string; count: string }>(
    'select event_id, count(*) from deliveries group by 1',
  )
  t.strictSame(
    rows.map(({ event_id }) => event_id).sort(),
    payments.map(({ eventId }) => eventId).sort(),
    'each has a delivery for the worker to find',
  )
  t.ok(rows.every(({ count }) => count === '1'))

  const again = await ingestSubjects(store, named('ComposablePolicyCreated'), { firstSequence: 9_000 })
  t.strictSame(
    again.flatMap(batch => [...batch.payments, ...batch.deliveries]),
    [],
    'the same again announces nothing',
  )
  t.equal(await sweep(), 0)
})
