// A read of one key answers with a bounded number of rows, however many are stored.
import {
  listClaimablePayments,
  listNeverPaid,
  listPoliciesWithDueDates,
  listSubscribers,
  openStore,
  readPaymentStats,
  readRecentRetractions,
  readRetractionsOf,
} from '@payment-tracking/store'
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'

const database = await createDatabase(t)
const { pool } = database
const store = openStore({ DATABASE_URL: database.url })
t.teardown(() => store.close())

t.test('a client that comes back learns the latest 1,000 retractions of its tracking ID', async t => {
  await pool.query(
    `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
                         stream_sequence, gateway, payment_policy, amount, paid_at, record_id, tracking_id, seq, retracted_at)
     select gen_random_uuid(), n, n, 's', n, 'PaymentRecord', '{}', 'confirmed', now(), gen_random_uuid(), n, 'g', 'p', 1, 1,
            n, 'order', n, now() + n * interval '1 s'
       from generate_series(1, 1200) n`,
  )
  const seqs = (await readRetractionsOf(store, ['order', 'another'])).map(({ seq }) => seq)
  t.same(
    seqs,
    Array.from({ length: 1_000 }, (_, n) => n + 201),
  )
})

t.test('retractions that Redis lost are read in pages, each once', async t => {
  const pages = []
  for await (const page of readRecentRetractions(store, 60_000)) pages.push(page)
  t.same(
    pages.map(({ length }) => length),
    [1_000, 200],
  )
  t.equal(new Set(pages.flat().map(({ eventId }) => eventId)).size, 1_200)
})

t.test('due dates are those of the newest 10,000 policies, and say that there are more', async t => {
  const add = (from: number, to: number) =>
    pool.query(
      `insert into policies (address, live, status, gateway, recipient, user_payment, policy_id, policy_type, created_at,
                             updated_at, next_payment_due)
       select 'policy ' || n, true, 'active', 'g', 'r', 'u', n, '{"Subscription":{}}', n, n, n
         from generate_series($1::int, $2::int) n`,
      [from, to],
    )
  await add(1, 10_000)
  t.match(await listPoliciesWithDueDates(store, 'g'), { policies: { length: 10_000 }, complete: true })
  await add(10_001, 10_001)
  const { policies, complete } = await listPoliciesWithDueDates(store, 'g')
  t.equal(policies.length, 10_000)
  t.notOk(
    policies.some(({ address }) => address === 'policy 1'),
    'the oldest is left out',
  )
  t.equal(complete, false)
})

t.test('the oldest of 1,001 policies of an account proves its payment when it is named', async t => {
  await pool.query(
    `insert into user_payments (address, owner, token_mint) values ('account', 'wallet', 'mint')`,
  )
  await pool.query(
    `insert into policies (address, live, status, gateway, recipient, user_payment, policy_id, policy_type, created_at,
                           updated_at)
     select 'old ' || n, true, 'active', 'shop', 'r', 'account', n, '{"Subscription":{}}', n, n
       from generate_series(1, 1001) n`,
  )
  await pool.query(
    `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
                         stream_sequence, gateway, payment_policy, amount, paid_at, record_id, payer, recipient)
     select gen_random_uuid(), 9000 + n, n, 's ' || n, 1, 'PaymentRecord', '{}', 'confirmed', now(), gen_random_uuid(),
            9000 + n, 'shop', 'old ' || n, 1, 1, n, 'wallet', 'r'
       from generate_series(1, 2) n`,
  )
  const policiesOf = async (policyAddress?: string) => {
    const { payments } = await listClaimablePayments(store, { wallet: 'wallet', policyAddress }, 10)
    return payments.map(({ paymentPolicy }) => paymentPolicy)
  }
  t.same(await policiesOf(), ['old 2'], 'the oldest is not looked at')
  t.same(await policiesOf('old 1'), ['old 1'])
})

t.test('statistics name the 1,000 tokens with most payments, of some or of all times', async t => {
  const add = (gateway: string, tokens: number) =>
    pool.query(
      `insert into payment_token_stats (gateway, span, start, token_mint, count, total, min, max)
       select $1, s.span, s.start, 'mint ' || n, n, n, 1, n
         from generate_series(1, $2::int) n,
              (values (0, 'epoch'::timestamptz), (86400, '2026-01-01Z'::timestamptz)) s (span, start)`,
      [gateway, tokens],
    )
  const day = { startTime: new Date('2026-01-01Z'), endTime: new Date('2026-01-01T23:59:59.999Z') }
  for (const [gateway, most] of [
    ['few tokens', 1_000],
    ['many tokens', 1_200],
  ] as const) {
    await add(gateway, most)
    for (const times of [{}, day]) {
      const { byToken } = await readPaymentStats(store, { gateway, ...times })
      t.equal(byToken.length, 1_000)
      const [first, last] = [BigInt(most), BigInt(most - 999)]
      t.strictSame(byToken[0], { tokenMint: `mint ${most}`, count: first, total: first, min: 1n, max: first })
      t.equal(byToken.at(-1)!.count, last, 'most payments first')
    }
  }
})

t.test(
  'payments of others push nobody out of a search by tracking ID, with a wallet or a recipient',
  async t => {
    await pool.query(
      `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
                         stream_sequence, gateway, payment_policy, amount, paid_at, record_id, payer, recipient, tracking_id, seq)
     select gen_random_uuid(), 20000 + n, n, 'by ' || n, 1, 'PaymentRecord', '{}', 'confirmed',
            now() + n * interval '1 ms', gen_random_uuid(), 20000 + n, 'shop', case n when 0 then 'old 1' else 'other' end, 1, 1, n,
            case n when 0 then 'wallet' else 'stranger' end, case when n % 20000 = 0 then 'r' else 'elsewhere' end, 'order-9',
            n + 1
       from generate_series(0, 50000) n`,
    )
    await pool.query('analyze live_events')
    const search = async (over: { wallet?: string; recipient?: string; policyAddress?: string }) =>
      (await listClaimablePayments(store, { trackingId: 'order-9', ...over }, 10)).payments.map(
        ({ signature }) => signature,
      )
    t.same(await search({ recipient: 'r' }), ['by 40000', 'by 20000', 'by 0'])
    t.same(await search({ wallet: 'wallet', policyAddress: 'old 1' }), ['by 0'], 'the wallet names its own')
    t.equal((await search({ recipient: 'elsewhere' })).length, 10)
  },
)

t.test('wallets are counted to 10,000, and one more makes the total unknown', async t => {
  const pay = (from: number, to: number) =>
    pool.query(
      `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint,
                           stream_sequence, gateway, payment_policy, amount, paid_at, record_id, payer)
       select gen_random_uuid(), 90000 + n, n, 'w ' || n, 1, 'PaymentRecord', '{}', 'confirmed', now(),
              gen_random_uuid(), 90000 + n, 'busy', 'p', 1, 1, n, 'wallet ' || lpad(n::text, 5, '0')
         from generate_series($1::int, $2::int) n`,
      [from, to],
    )
  const open = (from: number, to: number) =>
    pool.query(
      `with owners as (
         insert into user_payments (address, owner, token_mint)
         select 'idle account ' || n, 'idle ' || n, 'mint' from generate_series($1::int, $2::int) n returning address)
       insert into policies (address, live, status, gateway, recipient, user_payment, policy_id, policy_type, created_at,
                             updated_at)
       select 'of ' || address, true, 'active', 'busy', 'r', address, 1, '{"Subscription":{}}', 1, 1 from owners`,
      [from, to],
    )
  const page = { limit: 2, offset: 0 }
  await pay(1, 10_000)
  await open(1, 10_000)
  t.match(await listSubscribers(store, 'busy', page), { items: { length: 2 }, total: 10_000n })
  t.match(await listNeverPaid(store, 'busy', page), { items: { length: 2 }, total: 10_000n })
  await pay(10_001, 10_001)
  await open(10_001, 10_001)
  for (const list of [listSubscribers, listNeverPaid]) {
    const { items, total, next } = await list(store, 'busy', page)
    t.equal(total, null)
    t.equal(items.length, 2, 'the page is there all the same')
    t.ok(next, 'and where the next begins')
  }
  t.match((await listSubscribers(store, 'busy', { limit: 2, offset: 10_000 })).items, [
    { wallet: 'wallet 10001' },
  ])
})
