import { createDatabase, fillEvents, waitFor } from '@payment-tracking/testkit'
import t from 'tap'

t.test('waiting ends with what was waited for, and why it failed', async t => {
  let asked = 0
  t.equal(await waitFor(() => ++asked > 2 && 'third'), 'third')
  await t.rejects(
    waitFor(() => Promise.reject(new Error('refused')), { what: 'an answer', timeoutMs: 50 }),
    { message: 'an answer did not come about within 50 ms', cause: { message: 'refused' } },
  )
  const never = () => new Promise(() => {})
  await t.rejects(waitFor(never, { what: 'an answer', timeoutMs: 20, answerMs: 20 }), {
    message: 'an answer did not come about within 20 ms',
    cause: { message: 'the question was never answered' },
  })
})

t.test('filled databases have the keys they say, and every index again', async t => {
  const [empty, filled] = await Promise.all([createDatabase(t), createDatabase(t)])
  const COUNT = 12_000
  const keys = await fillEvents(filled.pool, COUNT)
  const indexes = async ({ pool }: { pool: typeof filled.pool }) =>
    (await pool.query(`select indexdef from pg_indexes where schemaname = 'public' order by 1`)).rows
  t.same(await indexes(filled), await indexes(empty))
  const one = async (text: string, values: unknown[] = []) =>
    (await filled.pool.query<Record<string, string>>(text, values)).rows[0]
  const n = 4_001
  t.match(
    await one('select name, slot, occurred_at, gateway from events where signature = $1', [
      keys.signatureOf(n),
    ]),
    { name: 'PaymentRecord', slot: String(keys.slotOf(n)), occurred_at: keys.timeOf(n) },
  )
  for (const [column, known] of [
    ['gateway', keys.gateways],
    ['payment_policy', keys.policies],
    ['user_payment', keys.userPayments],
    ['recipient', keys.recipients],
    ['authority', keys.authorities],
    ['tracking_id', keys.trackingIds],
  ] as const) {
    const unknownKeys = await one(`select count(*) from events where not ${column} = any($1)`, [known])
    t.same(unknownKeys, { count: '0' }, column)
  }
})
