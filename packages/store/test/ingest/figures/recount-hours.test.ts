// Extremes that an hour lost. A reader finds them at once, and work writes them: it reads the hour without the writer lock,
// and nothing that happens between that look and the lock is lost. That an hour and its day get their extremes is a law of ../../laws.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { buildAddress, buildBatch, buildChain, type ChainMessage } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { StoreUnavailableError } from '../../../src/core/errors.js'
import { commitBatch } from '../../../src/ingest/batch/commit-batch.js'
import { readPaymentStats } from '../../../src/reads/lists/read-payment-stats.js'
import { rebuildProjections } from '../../../src/ingest/batch/begin-rebuild.js'
import { runTaskPage } from '../../../src/ingest/batch/do-work.js'
import { type Store } from '../../../src/core/database/open-store.js'
import { explain, rowsOfPlan, sentBy } from '../../plans/explain.js'
import { openTestStore } from '../../open-test-store.js'
import { interruptedOnce } from './interrupted-once.js'

const programId = DEFAULT_PROGRAM_ID
const TIME = Date.parse('2026-03-01T12:00:00.000Z')
const HOUR = 3_600_000
t.setTimeout(300_000)

let now = TIME
const chain = buildChain({ seed: 'recount', firstSlot: 1_000_000, now: () => now })
const gateway = await chain.openGateway()
const [gold, silver] = [await chain.openUserPayment(), await chain.openUserPayment(buildAddress('silver'))]
const policies = {
  gold: await chain.openPolicy(gateway, gold, { trackingId: 'gold' }),
  silver: await chain.openPolicy(gateway, silver, { trackingId: 'silver' }),
}
const opening = [gateway, gold, silver, policies.gold, policies.silver].map(({ created }) => created)

/** @param minute of the first hour, or of a later hour */
function paid(amount: number, minute: number, policy = policies.gold): ChainMessage {
  now = TIME + minute * 60_000
  const message = chain.pay(policy)
  return { ...message, data: { ...message.data, amount: String(amount) } }
}

async function openIngest(t: Test) {
  const { store, pool } = await openTestStore(t)
  const commit = async (messages: readonly ChainMessage[], retracted: readonly ChainMessage[] = []) => {
    const controls = retracted.map(({ signature, slot }) => ({ kind: 'retracted' as const, signature, slot }))
    await commitBatch(store, buildBatch(messages, controls))
  }
  const rows = async (): Promise<string[]> => {
    const { rows: found } = await pool.query<{ row: string }>(
      `select (to_jsonb(s) - 'version')::text as row from payment_token_stats s
        where version = (select figures_version from stream_head) order by 1`,
    )
    return found.map(({ row }) => row)
  }
  const lost = async (): Promise<number> => {
    const { rows: found } = await pool.query(
      'select 1 from payment_token_stats where min is null and span > 0',
    )
    return found.length
  }
  return {
    store,
    pool,
    commit,
    lost,
    rows,
    /** the rows as a rebuild makes them from nothing */
    rightRows: async () => {
      await pool.query('delete from payment_token_stats')
      await pool.query('delete from work')
      await rebuildProjections(store, { programId })
      return rows()
    },
  }
}

/** Does the work; `between` is called after the first check of an hour, before the writer lock is taken. */
async function drain(store: Store, between?: () => Promise<unknown>, rows = 500) {
  const interrupted = interruptedOnce(store, between)
  let pages = 0
  const sizer = { rowsOf: () => rows, note: () => {} }
  while ((await runTaskPage(interrupted, { programId, sizer })).length > 0) pages += 1
  return pages
}

t.test('while its extremes are lost, an hour takes payments, and pages of one token do', async t => {
  const { store, commit, lost, rows, rightRows } = await openIngest(t)
  const [first, second] = [paid(1, 1), paid(2, 2, policies.silver)]
  await commit([...opening, first, second, paid(5, 3), paid(7, 4, policies.silver)])
  await commit([paid(6, 5), paid(8, 6, policies.silver)], [first, second])
  t.equal(await lost(), 8)
  t.ok((await drain(store, undefined, 1)) >= 4)
  t.strictSame(await rows(), await rightRows())
})

t.test('a payment between the check and the lock counts', async t => {
  const { store, commit, rows, rightRows } = await openIngest(t)
  const least = paid(1, 1)
  await commit([...opening, least, paid(5, 3), paid(7, 4)])
  await commit([], [least])
  await drain(store, () => commit([paid(2, 5), paid(50, 6)]))
  t.strictSame(await rows(), await rightRows())
})

for (const [what, late, taken] of [
  ['a retraction', [], true],
  ['a payment that gets its token', [gold.created], false],
] as const)
  t.test(`${what} between the check and the lock makes the check void`, async t => {
    const { store, commit, rows, rightRows } = await openIngest(t)
    const [least, next] = [paid(1, 1), paid(2, 2)]
    const known = opening.filter(message => !late.some(each => each === message))
    await commit([...known, least, next, paid(5, 3), paid(7, 4)])
    await commit([], [least])
    await drain(store, () => commit(late, taken ? [next] : []))
    t.strictSame(await rows(), await rightRows())
  })

t.test('a recount that dies between the check and the lock is done again', async t => {
  const { store, commit, lost, rows, rightRows } = await openIngest(t)
  const least = paid(1, 1)
  await commit([...opening, least, paid(5, 3), paid(7, 4)])
  await commit([], [least])
  const die = () => Promise.reject(new StoreUnavailableError('died'))
  await t.rejects(drain(store, die), { message: 'died' })
  t.equal(await lost(), 4, 'nothing is written')
  await drain(store)
  t.strictSame(await rows(), await rightRows())
})

t.test('a reader finds lost extremes, of any time', async t => {
  const { store, pool, commit } = await openIngest(t)
  const [least, most, last] = [paid(1, 1), paid(99, 2), paid(4, 30 * 60)]
  const others = [paid(5, 3), paid(7, 4), paid(6, 3, policies.silver), paid(8, 70)]
  await commit([...opening, least, most, last, ...others])
  await commit([], [least, most, last])
  const times = {
    'of all time': {},
    'of a day': { startTime: new Date('2026-03-01Z'), endTime: new Date('2026-03-01T23:59:59.999Z') },
    'of hours': { startTime: new Date(TIME), endTime: new Date(TIME + 2 * HOUR - 1) },
    'since a moment': { startTime: new Date(TIME + 90_000) },
    'up to a moment': { endTime: new Date(TIME + 80 * 60_000) },
  }
  const answers = async () => {
    const found: Record<string, unknown> = {}
    for (const of of [undefined, gateway.address])
      for (const [name, range] of Object.entries(times))
        found[`${of} ${name}`] = await readPaymentStats(store, { gateway: of, ...range })
    return found
  }
  const whileLost = await answers()
  const [token] = (await readPaymentStats(store, { gateway: gateway.address })).byToken
  t.match(token, { count: 3n, min: 5n, max: 8n })
  await drain(store)
  t.strictSame(whileLost, await answers())
  const { firstAt, lastAt } = await readPaymentStats(store, {})
  t.same([firstAt, lastAt], [new Date(TIME + 3 * 60_000), new Date(TIME + 70 * 60_000)])

  // Hours of too many payments are not read for one answer.
  await pool.query('update payment_token_stats set min = null, max = null where span = 3600')
  await pool.query('update event_counts set count = count + 1000000 where span = 3600')
  const { byToken } = await readPaymentStats(store, { gateway: gateway.address, ...times['of hours'] })
  t.match(byToken, [
    { min: null, max: null },
    { min: null, max: null },
  ])
})

t.test('extremes of all time cost a few rows a token, however many days it was paid on', async t => {
  const { store, pool } = await openIngest(t)
  await pool.query(
    `insert into payment_token_stats (gateway, span, start, token_mint, count, total, min, max)
     select 'years', 86400, '2020-01-01Z'::timestamptz + n * interval '1 day', 'mint ' || m, 1, n, n, n
       from generate_series(1, 1826) n, generate_series(1, 20) m
      union all
     select 'years', 0, 'epoch', 'mint 1', 1826, 1, null, null`,
  )
  await pool.query('analyze payment_token_stats')
  let byToken: unknown
  const sent = await sentBy(store, async reader => {
    ;({ byToken } = await readPaymentStats(reader, { gateway: 'years' }))
  })
  t.match(byToken, [{ min: 1n, max: 1826n }])
  t.equal(sent.length, 1)
  const [plan] = await explain(pool, sent)
  const read = rowsOfPlan(plan!)
  t.ok(read <= 15, `${read} rows`)
})
