// A read of one key answers with a bounded number of rows, or in pages, however many are stored.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import {
  listClaimablePayments,
  findMerchantPayments,
  findSubscribers,
  readPaymentStats,
  readRecentRetractions,
  readRetractionsOf,
  readSubscriptions,
  readVolume,
  sumMerchantPayments,
  type EventKey,
} from '@payment-tracking/store/reads'
import { addEvents, analyzeAll, createDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { openStore } from '../src/core/database/open-store.js'
import { countRows } from './count-rows.js'
import { readPages } from './plans/explain.js'

const database = await createDatabase(t)
const { pool } = database
const store = openStore({ DATABASE_URL: database.url })
const CLOCK = { nowSeconds: 1_795_000_000, graceSeconds: 7_200, programId: DEFAULT_PROGRAM_ID }
t.teardown(() => store.close())

t.test('a client that comes back learns the latest 1,000 retractions of its tracking ID', async t => {
  await addEvents(
    pool,
    { last: 1_200 },
    { tracking_id: `'order'`, seq: 'n', retracted_at: `now() + n * interval '1 s'` },
  )
  const seqs = (await readRetractionsOf(store, ['order', 'another'])).map(({ seq }) => seq)
  const wanted = Array.from({ length: 1_000 }, (_, n) => n + 201)
  t.same(seqs, wanted)
})

t.test('retractions that Redis lost are read in pages, each once', async t => {
  const pages = []
  for await (const page of readRecentRetractions(store, 60_000)) pages.push(page)
  const lengths = pages.map(({ length }) => length)
  t.same(lengths, [1_000, 200])
  t.equal(new Set(pages.flat().map(({ eventId }) => eventId)).size, 1_200)
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
  await addEvents(
    pool,
    { last: 2 },
    { gateway: `'shop'`, payment_policy: `'old ' || n`, payer: `'wallet'`, recipient: `'r'` },
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

t.test('payments of others push nobody out of a search by tracking ID and wallet or recipient', async t => {
  await addEvents(
    pool,
    { first: 0, last: 20_000 },
    {
      gateway: `'shop'`,
      payment_policy: `case n when 0 then 'old 1' else 'other' end`,
      payer: `case n when 0 then 'wallet' else 'stranger' end`,
      recipient: `case when n % 10000 = 0 then 'r' else 'elsewhere' end`,
      signature: `'by ' || n`,
      occurred_at: `now() + n * interval '1 ms'`,
      tracking_id: `'order-9'`,
      seq: 'n + 1',
    },
  )
  await pool.query('analyze events')
  const search = async (over: { wallet?: string; recipient?: string; policyAddress?: string }) =>
    (await listClaimablePayments(store, { trackingId: 'order-9', ...over }, 10)).payments.map(
      ({ signature }) => signature,
    )
  t.same(await search({ recipient: 'r' }), ['by 20000', 'by 10000', 'by 0'])
  t.same(await search({ wallet: 'wallet', policyAddress: 'old 1' }), ['by 0'], 'the wallet names its own')
  t.equal((await search({ recipient: 'elsewhere' })).length, 10)
})

const listWallets = (page: { limit: number; offset: number }, neverPaid = false) =>
  findSubscribers(store, 'busy', { neverPaid }, page, CLOCK)

t.test('wallets are counted to 10,000, and one more makes the total unknown', async t => {
  const pay = (first: number, last: number) =>
    addEvents(pool, { first, last }, { gateway: `'busy'`, payer: `'wallet ' || lpad(n::text, 5, '0')` })
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
  await analyzeAll(pool)
  t.match(await listWallets(page), { items: { length: 2 }, total: 10_000n })
  t.match(await listWallets(page, true), { items: { length: 2 }, total: 10_000n })
  await pay(10_001, 10_001)
  await open(10_001, 10_001)
  for (const neverPaid of [false, true]) {
    const { items, total, next } = await listWallets(page, neverPaid)
    t.equal(total, null)
    t.equal(items.length, 2, 'the page is there all the same')
    t.ok(next, 'and where the next begins')
  }
  t.match((await listWallets({ limit: 2, offset: 10_000 })).items, [{ wallet: 'wallet 10001' }])
})

t.test('subscribers who pay in many tokens share statements of at most 500 rows', async t => {
  const [tokens, wallets] = [500, 30]
  await addEvents(
    pool,
    { last: tokens * wallets },
    {
      paid_at: 'n',
      gateway: `'tokens'`,
      payer: `'payer ' || n % ${wallets}`,
      token_mint: `'mint ' || n % ${wallets * (tokens - 1)}`,
    },
  )
  await pool.query('analyze events')
  const { store: counting, counts } = countRows(store)
  const { items } = await findSubscribers(counting, 'tokens', {}, { limit: 100, offset: 0 }, CLOCK)
  t.equal(items.length, wallets)
  t.ok(items.every(({ byToken, complete }) => byToken.length === 100 && !complete))
  for (const {
    byToken: [first],
  } of items)
    t.ok(first!.paymentCount === 2n, 'most payments first')
  const areNewest = items.every(({ lastActiveAt }) => lastActiveAt! > BigInt(wallets * (tokens - 1)))
  t.ok(areNewest, 'the last payment was in whatever token')
  t.ok(Math.max(...counts) <= 500, `a statement answers with ${Math.max(...counts)} rows`)
  t.ok(counts.length >= wallets / 5, `${counts.length} statements share the payments`)
})

t.test('each policy of a gateway is in one page of 500, and those that left it too', async t => {
  const CREATED = 3_000
  /** In the first page of created events: nothing is stored of its policy. */
  const UNKNOWN = 300
  /** Belong to another gateway now: more of the first page of created events than a page has policies, and one of the last. */
  const isLeft = (n: number) => (n > 1_000 && n <= 1_600) || n === 2_900
  /** On both sides of an end of a page, created in the same second. */
  const SAME_SECOND = [499, 500, 501, 502]
  const TERMS = `{"Subscription":{"amount":"1","auto_renew":true,"max_renewals":null,"next_payment_due":"1","padding":[],
    "payment_frequency":{"Monthly":null}}}`
  await pool.query(
    `insert into policies (address, live, status, gateway, recipient, user_payment, policy_id, policy_type, created_at,
                           updated_at, next_payment_due, token_mint)
     select 'paged ' || n, n % 7 <> 0, 'active', case when n > 1000 and n <= 1600 or n = 2900 then 'other' else 'paged' end, 'r', 'u', n, $3::json,
            case when n = any($4::bigint[]) then $4[1] else n end, n, n, 'mint'
       from generate_series(1, $1::bigint) n where n <> $2`,
    [CREATED, UNKNOWN, TERMS, SAME_SECOND],
  )
  await addEvents(
    pool,
    { last: CREATED },
    {
      name: `'PaymentPolicyCreated'`,
      gateway: `'paged'`,
      payment_policy: `'paged ' || n`,
      occurred_at: 'to_timestamp(n / 10)',
      amount: 'null',
      paid_at: 'null',
      record_id: 'null',
    },
  )
  const pages = await readPages(readSubscriptions(store, 'paged'))
  const named = (isWanted: (n: number) => boolean) =>
    Array.from({ length: CREATED }, (_, index) => index + 1)
      .filter(n => n !== UNKNOWN && isWanted(n))
      .map(n => `paged ${n}`)
  const shown = pages.flatMap(page => page.living.map(({ address }) => address)).toSorted()
  t.strictSame(shown, named(n => !isLeft(n) && n % 7 !== 0).toSorted())
  const changing = pages.flatMap(page => [...page.changing.keys()]).toSorted()
  t.strictSame(changing, named(n => isLeft(n) || n % 7 === 0).toSorted())
  t.ok(pages.every(page => page.living.length + page.changing.size <= 500))
})

t.test('the volume of 12,000 tokens is whole: it comes in pages of 5,000 rows', async t => {
  const [tokens, day] = [12_000, 86_400]
  // Three days, of which each has 4,000 tokens: a page ends within a day. The token of the first row is not known.
  await pool.query(
    `insert into payment_token_stats (gateway, span, start, token_mint, count, total, min, max)
     select 'volume', ${day}, to_timestamp(${day} * (1 + n % 3)), case when n = 0 then '' else 'mint ' || n end, 1, n, n, n
       from generate_series(0, $1::int - 1) n`,
    [tokens],
  )
  const all = { from: 0, to: 10 * day, size: 'day' as const }
  for (const span of [all, { ...all, whole: true }]) {
    const volume = await readVolume(store, 'volume', span)
    t.equal(volume.length, tokens)
    t.equal(new Set(volume.map(({ tokenMint }) => tokenMint)).size, tokens)
    const sumOfAll = volume.reduce((sum, { amount }) => sum + amount, 0n)
    t.equal(sumOfAll, BigInt((tokens * (tokens - 1)) / 2))
  }
  const inOneDay = await readVolume(store, 'volume', { ...all, from: 2 * day, to: 3 * day })
  t.equal(inOneDay.length, tokens / 3, 'of one day')
  const inMonths = await readVolume(store, 'volume', { ...all, size: 'month', whole: true })
  t.ok(inMonths.every(({ buckets }) => buckets.size === 1 && buckets.has(0)))
})

t.test('a payment behind 20,000 that do not match is found by the next page', async t => {
  const many = 20_010
  await addEvents(pool, { last: many }, { gateway: `'filtered'`, token_mint: `'mint'`, amount: 'n' })
  await pool.query('analyze events')
  const read = (after: EventKey | undefined) =>
    findMerchantPayments(
      store,
      'filtered',
      { maxAmount: 3n },
      { sort: 'newest', limit: 10, offset: 0, after },
      new Map(),
    )
  const first = await read(undefined)
  t.match(first, { count: 0, next: { slot: 11 } }, 'a page looks at so many, and says where it ended')
  t.match(await read(first.next), { count: 3, next: undefined })
  const upToThree = await sumMerchantPayments(store, 'filtered', { maxAmount: 3n })
  t.strictSame(upToThree, { byToken: [{ tokenMint: 'mint', count: 3n, total: 6n }], complete: true })
})
