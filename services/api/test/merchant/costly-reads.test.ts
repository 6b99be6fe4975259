// A large gateway's figures make nobody else wait, cost what they cost, and are kept for a minute.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { countRows, waitFor } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { makeSigningKeys } from '../gateway-auth/make-signing-keys.js'
import { openApi } from '../open-api.js'
import { keyOf, memoOf, openChain } from '../open-chain.js'
import { signInDirectly } from './sign-in-directly.js'

/** Cohorts are read in pages of 100 wallets: more pages than a request has statements. */
const WALLETS = 2_500
const AT = 1_790_000_000
const keys = makeSigningKeys()
let nowMs = AT * 1_000
const settings = { JWT_PRIVATE_KEYS: keys, RATE_LIMIT_MAX: '1000', 'api.statementTimeoutMs': '60000' }
const api = await openApi(t, { ...settings, 'api.requestDeadlineMs': '120000' }, () => nowMs)
const { pool } = api.database
const chain = openChain(api.store)
const pay = (gateway: string) =>
  chain.transfer({ gateway, amount: 5, memo: memoOf('order'), payer: keyOf('wallet') }, AT - 86_400)

async function openShop(label: string) {
  const { gateway, headers } = await signInDirectly(chain, keys, label)
  await pay(gateway)
  const ask = (path: string, more: Record<string, string> = {}) =>
    api.get(`/v1/gateway/${gateway}/merchant/${path}`, { headers: { ...headers, ...more } })
  return { gateway, headers, ask }
}
const [small, other, large] = [await openShop('small'), await openShop('other'), await openShop('large')]
await pool.query(
  `insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint, stream_sequence,
                       gateway, amount, paid_at, payer, token_mint)
   select gen_random_uuid(), 1000000 + n, n, 's' || n, 0, 'PaymentRecord', '{}', 'confirmed', to_timestamp($3::bigint), gen_random_uuid(), n,
          $1, 7, $3::bigint, 'wallet ' || n, 'mint'
     from generate_series(1, $2::bigint) n`,
  [large.gateway, WALLETS, AT - 86_400],
)

/** Counts the pages of cohorts that the API reads. */
function countPages(t: Test) {
  let pages = 0
  const note = (message: unknown) => {
    if ((message as { text: string }).text.includes('with wallets as')) pages += 1
  }
  subscribe('payment-tracking:store:statement', note)
  t.teardown(() => unsubscribe('payment-tracking:store:statement', note))
  return () => pages
}

t.test('costly reads of many left no connection to others', async t => {
  const holder = await pool.connect()
  t.teardown(() => holder.release())
  await holder.query('begin; lock table events in access exclusive mode')
  const countWaiting = () =>
    countRows(pool, `pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`)
  const asked = [large.ask('cohorts'), large.ask('revenue'), large.ask('payments'), small.ask('cohorts')]
  await waitFor(async () => (await countWaiting()) > 0, { what: 'a statement that waits' })
  asked.push(other.ask('cohorts'), other.ask('payments'), small.ask('payments'))
  for (let n = 0; n < 3; n += 1)
    t.equal((await api.get(`/v1/subscriptions?trackingId=x${n}`)).status, 200, 'a read of another table')
  // Both of the statements that may run can be on one connection.
  t.ok((await countWaiting()) <= 2)
  await holder.query('rollback')
  for (const { status } of await Promise.all(asked)) t.equal(status, 200)
})

t.test('of one gateway one costly read is answered at a time', async t => {
  nowMs += 120_000
  const pages = countPages(t)
  const asked = Array.from({ length: 5 }, () => large.ask('cohorts'))
  const [first, ...later] = await Promise.all(asked)
  t.equal(pages(), WALLETS / 100 + 1, 'read once')
  for (const { text } of later) t.equal(text, first!.text)
})

t.test('a costly answer is kept for a minute, unless a reader knows more', async t => {
  nowMs += 120_000
  const pages = countPages(t)
  const walletsOf = (answer: Awaited<ReturnType<typeof api.get>>) =>
    (answer.body as { cohorts: { wallets: number }[] }).cohorts.reduce((sum, { wallets }) => sum + wallets, 0)
  const first = await large.ask('cohorts')
  t.equal(walletsOf(first), WALLETS)
  const read = pages()
  nowMs += 30_000
  await pay(large.gateway)
  const kept = await large.ask('cohorts')
  t.equal(pages(), read)
  t.equal(kept.text, first.text)
  t.match(kept.headers, { age: '30', 'x-position': first.headers['x-position'], 'content-type': /json/ })
  t.equal((await large.ask('cohorts', { 'if-none-match': kept.headers.etag! })).status, 304)

  const { rows } = await pool.query<{ position: string }>('select position from stream_head')
  const newer = await large.ask('cohorts', { 'x-min-position': rows[0]!.position })
  t.ok(pages() > read, 'a client that was told of the payment sees it')
  t.equal(newer.headers['x-position'], rows[0]!.position)
  t.notOk(newer.headers.age)
  t.equal((await large.ask('cohorts')).headers['x-position'], rows[0]!.position, 'and so do others')

  t.equal(
    (await api.get(`/v1/gateway/${large.gateway}/merchant/cohorts`, { headers: small.headers })).status,
    403,
    'nobody else',
  )
  const again = pages()
  nowMs += 60_000
  t.notOk((await large.ask('cohorts')).headers.age)
  t.ok(pages() > again, 'a minute later it is read anew')
  for (const path of ['cohorts', 'revenue', 'upcoming'])
    for (let n = 0; n < 2; n += 1)
      t.notOk((await small.ask(path)).headers.age, 'one that costs little is never kept')
})

t.test('what a request costs counts in the limit of its client', async t => {
  nowMs += 120_000
  const remaining = async () => Number((await api.get('/v1/events/names')).headers['ratelimit-remaining'])
  const before = await remaining()
  await small.ask('cohorts')
  t.equal(before - (await remaining()), 2, 'each of two requests counts once')
  const then = await remaining()
  await large.ask('cohorts')
  t.equal(then - (await remaining()), 3, 'of 27 statements the last seven are a second one')
})
