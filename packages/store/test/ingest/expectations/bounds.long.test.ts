// However many payments, expectations or strangers stand behind one key: a transaction takes rows by its own size. Postgres
// says how many rows each statement took, over histories that are 10 and more times the bound.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { analyzeAll, buildAddress } from '@payment-tracking/testkit'
import t from 'tap'
import { cancelExpectation } from '../../../src/admin/expectations/cancel-expectation.js'
import {
  createExpectation,
  OPEN_EXPECTATIONS,
  type CreatedExpectation,
} from '../../../src/admin/expectations/create-expectation.js'
import { expireExpectations } from '../../../src/messages/clock/expire-expectations.js'
import { listExpectations, readExpectation } from '../../../src/reads/expectations/list-expectations.js'
import { runTaskPage } from '../../../src/ingest/batch/do-work.js'
import type { Explained } from '../../plans/explain.js'
import { explainedStore, SIZE } from '../../plans/explained-store.js'
import { GATEWAY, MINT, openShop, RECIPIENT } from './open-shop.js'

const MANY = 30_000 * SIZE
/** A page has 500 rows, and takes some probes for each: eleven where it writes messages and their deliveries. */
const MOST_ROWS = 5_600
t.setTimeout(600_000 * SIZE)

let read: Explained[] = []
const shop = await openShop(t, opened => explainedStore(opened, each => void read.push(each)))
const { pool, store } = shop
await shop.addWebhook()
await shop.addWebhook({ finality: 'finalized' })

/** `n` payments of one tracking ID, of which nothing is counted. */
const fill = (trackingId: string, recipient: string, count: number, from = 0) =>
  pool.query(
    `with stored as (
       insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
         stream_sequence, gateway, payment_policy, recipient, token_mint, tracking_id, seq, amount, paid_at, record_id)
       select gen_random_uuid(), -$6::int * 1000000 - n, 500000 + n, $1 || n, 0, 'PaymentRecord', '{}', 'confirmed',
              timestamptz '2026-01-01' + n * interval '1 s', gen_random_uuid(), n, $2, repeat('1', 32), $3, $4, $1, n, 1, 1, 0
         from generate_series(1, $5::int) n returning seq)
     insert into trackings (tracking_id, head) select $1, max(seq) from stored`,
    [trackingId, GATEWAY, recipient, MINT, count, from],
  )
await fill('busy', RECIPIENT, MANY, 1)
await fill('strange', buildAddress('stranger'), MANY, 2)
const busy = (
  await pool.query<{ id: string }>(
    `insert into expectations (gateway, tracking_id, recipient, token_mint, amount, paid_amount, in_time_amount, payment_count,
       state, changes)
     values ($1, 'busy', $2, $3, 100, $4::int, $4::int, $4::int, 'overpaid', 1) returning id`,
    [GATEWAY, RECIPIENT, MINT, MANY],
  )
).rows[0]!.id
await pool.query(
  `insert into expected_payments (expectation_id, occurred_at, slot, event_id, final)
   select $1, occurred_at, slot, id, false from events where tracking_id = 'busy'`,
  [busy],
)
await pool.query(
  `insert into expectations (gateway, tracking_id, recipient, token_mint, amount, expires_at, next_check_at)
   select $1, 'lost ' || n, $2, $3, 1, now() - interval '1 s', now() - interval '1 s' from generate_series(1, $4::int) n`,
  [GATEWAY, RECIPIENT, MINT, MANY],
)
await pool.query(
  `insert into expectations (gateway, tracking_id, recipient, token_mint, amount)
   select 'gateway ' || n, 'shared', $1, $2, 1 from generate_series(1, $3::int) n`,
  [RECIPIENT, MINT, MANY],
)
await pool.query(
  `insert into trackings values ('busy', ${MANY}, true), ('shared', 0, true)
   on conflict (tracking_id) do update set expected = true`,
)
await pool.query('update stream_head set finalized_slot = 400000')
await analyzeAll(pool)
read = []

const isBounded = (name: string, run: () => Promise<unknown>) =>
  t.test(name, async t => {
    read = []
    await run()
    const worst = read.reduce((a, b) => (a.rows > b.rows ? a : b), { rows: 0, text: '' } as Explained)
    t.ok(read.length > 0, 'statements were explained')
    t.ok(worst.rows <= MOST_ROWS, `${worst.rows} rows: ${worst.text.slice(0, 400)}`)
  })
const page = () =>
  runTaskPage(store, {
    programId: DEFAULT_PROGRAM_ID,
    sizer: { rowsOf: () => 500, note: () => {} },
  })

const paid = Array.from({ length: 20 }, () => shop.pay({ trackingId: 'busy', amount: 1n }))
await isBounded('payments of a busy one', () => shop.commit(paid))
await isBounded('a retraction of a busy one', () => shop.retract(paid[0]!))
await isBounded('what waits becomes final', () => shop.commit([], [{ kind: 'finalized', slot: 600_000 }]))
await isBounded('a page of what becomes final', page)
await isBounded('a payment that many gateways expect', () =>
  shop.commit([shop.pay({ trackingId: 'shared', amount: 1n })]),
)
await isBounded('pages of the work that is left', async () => {
  await page()
  await page()
})
await isBounded('an expectation behind payments of strangers', () =>
  shop.expect({ trackingId: 'strange', gateway: buildAddress('victim') }),
)
await isBounded('a page of stored payments', async () => {
  for (let pages = 0; pages < 4; pages++) await page()
})
await isBounded('pages of many new ones', async () => {
  const busyGateway = buildAddress('busy gateway')
  for (let count = 0; count < 60; count++)
    await shop.expect({ trackingId: count % 20 === 0 ? 'strange' : `new ${count}`, recipient: busyGateway })
  for (let pages = 0; pages < 4; pages++) await page()
})
await isBounded('a page of what expires', () =>
  expireExpectations(store, { limit: 500, onPage: () => Promise.resolve(false) }),
)
await isBounded('reading and listing', async () => {
  await readExpectation(store, busy)
  await listExpectations(store, GATEWAY, { limit: 500 })
  await listExpectations(store, GATEWAY, { limit: 500, trackingId: 'busy' })
  await listExpectations(store, GATEWAY, { limit: 500, state: 'overpaid' })
})
let counting: CreatedExpectation
await isBounded('cancelling', async () => {
  counting = await createExpectation(store, {
    gateway: buildAddress('victim'),
    trackingId: 'busy',
    recipient: buildAddress('nobody'),
    tokenMint: MINT,
    amount: 1n,
    expiresAt: null,
    reference: null,
  })
  const { id, gateway } = counting.record
  await t.rejects(cancelExpectation(store, gateway, id), { code: 'EXPECTATION_COUNTING' }, 'it may be paid')
})

await isBounded('one more of a gateway that has nearly all that it may', async () => {
  const full = buildAddress('full')
  await pool.query(
    `insert into expectations (gateway, tracking_id, recipient, token_mint, amount)
     select $1, 'open ' || n, $1, $1, 1 from generate_series(1, $2::int) n`,
    [full, OPEN_EXPECTATIONS - 1],
  )
  await pool.query(`insert into expectation_counts (gateway, writer, open) values ($1, 'ingest', $2)`, [
    full,
    OPEN_EXPECTATIONS - 1,
  ])
  await analyzeAll(pool)
  read = []
  await shop.expect({ gateway: full })
  await t.rejects(shop.expect({ gateway: full, trackingId: 'one more' }), { code: 'TOO_MANY_EXPECTATIONS' })
  const locking = read.filter(({ text }) => text.includes('stream_head'))
  t.same(locking, [], 'no request takes the writer lock')
})

t.test('payments that nobody expects ask nothing', async t => {
  read = []
  await shop.commit([shop.pay({ trackingId: 'nobody', amount: 1n })])
  t.same(
    read.map(({ text }) => text).filter(text => text.includes('expect') && !text.includes('from trackings')),
    [],
  )
})

t.test('the work ends, and everything is counted', async t => {
  await shop.work()
  const lateCancel = await cancelExpectation(store, counting.record.gateway, counting.record.id)
  t.match(lateCancel, { record: { state: 'cancelled' } })
  t.same(await shop.sums(busy), { wrong: false, final_wrong: false })
  const busySum = (await readExpectation(store, busy))?.record
  t.match(busySum, { paymentCount: BigInt(MANY + 19), finality: 'confirmed' })
  const { rows } = await pool.query(
    `select count(*)::int as count, min(state), max(state) from expectations where tracking_id = 'shared'`,
  )
  t.same(rows, [{ count: MANY, min: 'paid', max: 'paid' }])
})
