// Under the writer lock, no statement reads or writes more rows than its transaction has messages, times a constant. A
// database is filled with long histories after each key, every kind of message is stored once, each page of the work that
// follows is done, and Postgres says how many rows each statement read. To fill the database takes long, so all of it is one
// file of more than 300 lines.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import type { ControlMessage } from '@payment-tracking/domain'
import {
  analyzeAll,
  buildBatch,
  buildChain,
  fillDeliveries,
  fillPayments,
  fillWaiting,
  insertWebhook,
  type ChainMessage,
} from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { commitBatch } from '../src/ingest/batch/commit-batch.js'
import { runTaskPage } from '../src/ingest/batch/do-work.js'
import { type Store } from '../src/core/database/open-store.js'
import type { Explained } from './plans/explain.js'
import { explainedStore, SIZE } from './plans/explained-store.js'
import { callingSite, listSites } from './statement-sites.js'
import { openTestStore } from './open-test-store.js'

/** Behind each key. A statement that reads them all is found. */
const MANY = 4_000 * SIZE
/** A page of work may have 500 rows; each of a page's rows takes up to seven others. */
const PAGE = { rowsOf: () => 200, note: () => {} }
/** What a statement may read or write: a transaction derives 500 payments at once, and a page is 200 here. */
const MOST_ROWS = 3_600
t.setTimeout(600_000 * SIZE)

const TIME = Date.parse('2026-03-01T12:00:00.000Z')
const programId = DEFAULT_PROGRAM_ID

const { store: opened, pool } = await openTestStore(t)

/** The places in the source whose statements were explained; by text, because a stack is slow to make. */
const sites = new Set<string>()
const textsSeen = new Set<string>()

/** The statements of the transactions since the last check, and how often each ran. */
let read: Explained[] = []
const runs = new Map<string, number>()
/** A statement that reads more from page to page is found at any of its later pages. */
const isExplained = (run: number) => run <= 3 || run % 5 === 0

const { database: explained } = explainedStore(
  opened,
  each => void read.push(each),
  ({ text }) => {
    if (!textsSeen.has(text)) sites.add(callingSite())
    textsSeen.add(text)
    const run = (runs.get(text) ?? 0) + 1
    runs.set(text, run)
    return isExplained(run)
  },
)
/** Reads without the writer lock are not of interest here. */
const store: Store = {
  ...opened,
  database: {
    ...opened.database,
    pipelinedTransaction: (work, timeoutMs) => explained.pipelinedTransaction(work, timeoutMs),
  },
}

/** One transaction. */
function commit(...messages: (ChainMessage | ControlMessage)[]) {
  const events = messages.filter(message => !('kind' in message))
  const controls = messages.filter(message => 'kind' in message)
  return commitBatch(store, buildBatch(events, controls))
}

const retractionOf = ({ signature, slot }: { signature: string; slot: number }): ControlMessage => ({
  kind: 'retracted',
  signature,
  slot,
})

// The history: events of slots from a million, each hour of one day.
const past = buildChain({ seed: 'bounds', firstSlot: 1_000_000, now: () => TIME })
const [gateway, gone] = [await past.openGateway(), await past.openGateway()]
const userPayment = await past.openUserPayment()
const unknown = await past.openUserPayment()
const terms = (trackingId: string) => ({ trackingId })
const long = await past.openPolicy(gateway, userPayment, terms('long'))
const metered = await past.openPolicy(gateway, userPayment, terms('metered'))
metered.created.data.policy_type = {
  variant: 'PayAsYouGo',
  max_amount_per_period: '9',
  max_chunk_amount: '9',
  period_length_seconds: '100000',
  current_period_start: String(TIME / 1000 - 150_000),
  current_period_total: '0',
  expiry_date: null,
}
const late = await past.openPolicy(gateway, userPayment, terms('late'))
const ownerless = await past.openPolicy(gateway, unknown, terms('ownerless'))
const signerChange = past.emit('GatewaySignerChanged', {
  gateway: gateway.address,
  old_signer: gateway.authority.publicKey,
  new_signer: userPayment.owner,
})
const firstPayments = [long, metered, late, ownerless].map(policy => past.pay(policy))
await commit(
  gateway.created,
  gone.created,
  userPayment.created,
  long.created,
  metered.created,
  ownerless.created,
)
await commit(signerChange, ...firstPayments)

const finalized = await insertWebhook(pool, gateway.address, { finality: 'finalized' })
const choosy = await insertWebhook(pool, gateway.address, {
  filters: { recipient: late.recipient, tokenMint: userPayment.tokenMint },
})
const plain = await insertWebhook(pool, gateway.address)
const ended = await insertWebhook(pool, gone.address)
const paid = {
  long: await fillPayments(pool, { policy: long.address, count: MANY }),
  metered: await fillPayments(pool, { policy: metered.address, count: MANY }),
  late: await fillPayments(pool, { policy: late.address, count: MANY }),
  ownerless: await fillPayments(pool, { policy: ownerless.address, count: MANY }),
}
await fillWaiting(pool, { webhook: finalized, policy: long.address, count: MANY, waitsFor: 'finality' })
for (const { address: policy } of [late, ownerless])
  await fillWaiting(pool, { webhook: choosy, policy, count: MANY, waitsFor: 'details' })
await fillDeliveries(pool, { webhooks: [plain, finalized, ended], policy: long.address, count: MANY })
// Accounts with many events of their own, policies of one user payment, and years of figures.
for (const [name, event] of Object.entries({ gateway: signerChange, 'user payment': userPayment.created })) {
  await pool.query(
    `insert into events (id, position, slot, signature, event_index, name, data, occurred_at, fingerprint,
       stream_sequence, commitment, gateway, user_payment, authority)
     select gen_random_uuid(), h.position + n, e.slot - n,
            '3' || left(replace(repeat(md5($2 || n), 3), '0', 'Z'), 87), 0, e.name, e.data, e.occurred_at,
            gen_random_uuid(), n, e.commitment, e.gateway, e.user_payment, e.authority
       from events e, stream_head h, generate_series(1, $3::int) n where e.signature = $1`,
    [event.signature, name, MANY],
  )
  await pool.query('update stream_head set position = position + $1', [MANY])
}
await pool.query(
  `insert into policies (address, user_payment, incarnation_start, gateway, created_at, live)
   select 'policy ' || n, $1, '', $2, n, true from generate_series(1, $3::int) n`,
  [unknown.address, gateway.address, MANY],
)
await pool.query(
  `insert into event_counts (gateway, span, name, start, count)
   select '', 3600, 'PaymentRecord', '2020-01-01'::timestamptz + n * interval '1 hour', 1 from generate_series(1, $1::int) n`,
  [MANY],
)
for (const of of [gateway.address, '']) {
  await pool.query(
    `insert into payment_token_stats (gateway, span, start, token_mint, count, total, min, max)
     select $1, s.span, to_timestamp(s.start), 'mint ' || n, 1, 1, 1, 1
       from generate_series(1, $2::int) n,
            (values (0, 0), (86400, $3::bigint - $3 % 86400), (3600, $3 - $3 % 3600)) s (span, start)`,
    [of, MANY, TIME / 1000],
  )
  await pool.query(
    `insert into event_counts (gateway, span, name, start, count)
     select $1, 86400, 'PaymentRecord', '2022-01-01'::timestamptz + n * interval '1 day', 1 from generate_series(1, 1500) n`,
    [of],
  )
}
await analyzeAll(pool)

/** Stores messages, does all work that follows, and looks at what each statement read. */
async function isBounded(t: Test, act: () => Promise<unknown>): Promise<void> {
  read = []
  runs.clear()
  await act()
  const committed = read
  read = []
  runs.clear()
  let pages = 0
  while ((await runTaskPage(store, { programId, sizer: PAGE })).length > 0) pages += 1
  for (const [what, statements] of [
    ['the message', committed],
    [`${pages} pages of work`, read],
  ] as const) {
    const most = new Map<string, Explained>()
    for (const each of statements)
      if (each.rows >= (most.get(each.text)?.rows ?? 0)) most.set(each.text, each)
    for (const { rows, text, plan } of most.values()) {
      if (rows <= MOST_ROWS) continue
      t.fail(`${what}: a statement takes ${rows} rows`, { text, plan: JSON.stringify(plan) })
    }
    const all = statements.map(({ rows }) => rows)
    t.comment(`${what}: ${all.length} statements of at most ${Math.max(0, ...all)} rows`)
  }
  t.pass()
}

const now = buildChain({ seed: 'bounds now', firstSlot: 2_000_000, now: () => TIME + 3_600_000 })
/** An event of the past that comes now. */
const earlier = (message: ChainMessage, slot: number): ChainMessage => ({
  ...message,
  slot,
  timestamp: new Date(TIME + 5_000).toISOString(),
})

const MESSAGES: Record<string, () => (ChainMessage | ControlMessage)[]> = {
  'a payment': () => [now.pay(long)],
  'a payment of another hour for the same tracking ID': () => [now.pay(metered)],
  'a late payment': () => [earlier(now.pay(long), paid.long.slotOf(3))],
  'a retracted payment': () => [
    retractionOf({ signature: paid.long.signatureOf(7), slot: paid.long.slotOf(7) }),
  ],
  'a late payment of the period': () => [earlier(now.pay(metered), paid.metered.slotOf(3))],
  'a retracted payment of the period': () => [
    retractionOf({ signature: paid.metered.signatureOf(7), slot: paid.metered.slotOf(7) }),
  ],
  'a status change': () => [now.changeStatus(long, 'Active', 'Paused')],
  'a late status change': () => [earlier(now.changeStatus(long, 'Active', 'Paused'), paid.long.slotOf(9))],
  'a Created event after its payments': () => [earlier(late.created, late.created.slot)],
  'a user payment after its policies': () => [unknown.created],
  'a highest final slot': () => [{ kind: 'finalized', slot: 3_000_000 }],
  'a retracted signer change': () => [retractionOf(signerChange)],
  'a retracted user payment': () => [retractionOf(userPayment.created)],
  'a retracted Created event': () => [retractionOf(long.created)],
  'a policy that ends and begins again': () => [
    now.deletePolicy(metered),
    { ...now.emit('PaymentPolicyCreated', metered.created.data) },
  ],
  'a direct payment': () => [
    now.payDirectly({
      gateway: gateway.address,
      payer: userPayment.owner,
      recipient: long.recipient,
      amount: 5n,
      tokenMint: userPayment.tokenMint,
      trackingId: 'long',
    }),
  ],
  'a gateway that ends': () => [
    now.emit('PaymentGatewayDeleted', {
      gateway: gone.address,
      authority: gone.authority.publicKey,
      name: Array(32).fill(0),
    }),
  ],
  'a gap': () => [
    { kind: 'gap', signature: null, fromSlot: 1, toSlot: 2, reason: 'r', bytes: null, closed: false },
  ],
}

for (const [name, messages] of Object.entries(MESSAGES))
  t.test(name, t => isBounded(t, () => commit(...messages())))

t.test('a copy that names a better position, and is final', t => {
  const copy = (message: ChainMessage) => ({ ...message, index: 3, commitment: 'finalized' })
  return isBounded(t, () => commit(...firstPayments.map(copy)))
})

t.test('a rebuild', t =>
  isBounded(t, () => pool.query(`insert into work (kind, key) values ('rebuild', 'rebuild')`)),
)

t.test('an hour of many tokens that lost its extremes', async t => {
  // Each payment in a token of its own, and each token lacks its extremes.
  await pool.query(
    `update events set token_mint = 'own ' || position where payment_policy = $1 and amount is not null`,
    [late.address],
  )
  await pool.query(
    `insert into payment_token_stats (version, gateway, span, start, token_mint, count, total)
     select (select figures_version from stream_head), e.gateway, s.span, case s.span when 0 then 'epoch' else to_timestamp(floor(extract(epoch from e.occurred_at) / s.span) * s.span) end,
            e.token_mint, count(*), sum(e.amount)
       from events e, (values (0), (86400), (3600)) s (span) where e.payment_policy = $1 and e.amount is not null group by 1, 2, 3, 4, 5`,
    [late.address],
  )
  // Whether autovacuum has seen these rows decides how Postgres joins them. Without statistics it joins all of an hour.
  await pool.query('alter table payment_token_stats set (autovacuum_enabled = off)')
  await pool.query(`delete from pg_statistic where starelid = 'payment_token_stats'::regclass`)
  await isBounded(t, () =>
    pool.query(
      `insert into work (kind, key) select 'hour', to_char(start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"') || ' ' || gateway
         from event_counts where version = (select figures_version from stream_head) and gateway = $1 and span = 3600`,
      [gateway.address],
    ),
  )
  const { rows } = await pool.query(
    `select count(*)::int as unknown from payment_token_stats where gateway = $1 and span > 0 and token_mint like 'own %' and (min is null or max is null)`,
    [gateway.address],
  )
  t.same(rows, [{ unknown: 0 }])
})

/** Files whose statements these messages do not cause, and why they are bounded. */
const ELSEWHERE: Record<string, string> = {
  'ingest/outbox/announcements.ts': 'pages of the sweeper: bounded-tasks.long.test.ts',
  'ingest/outbox/outbox-batches.ts': 'pages of the sweeper: bounded-tasks.long.test.ts',
  'ingest/batch/begin-rebuild.ts': 'one row, once for new rules',
  'ingest/verify/verify-database.ts': 'one row, once for a run of the server',
  'core/tables/stream-gaps.ts': 'one row',
  'ingest/batch/dead-letters.ts': 'as many rows as refused messages',
}

/** Other statements that these messages do not cause: how many of a file, and why they are bounded. */
const BY_KEYS: Record<string, [missed: number, why: string]> = {
  'ingest/batch/collect-lifecycles.ts': [1, 'the events that completed the policies of a page, by their ids'],
  'ingest/recompute/derive-payments.ts': [1, 'payments of a page that got their tracking IDs, by ids'],
  'ingest/batch/identities.ts': [1, 'the events of a transaction, whose size the chain bounds'],
  'ingest/figures/recount-hours.ts': [3, 'reads without the writer lock, one for at most 10,000 events'],
  'ingest/batch/track-by-policy.ts': [1, "a probe of events_changes for each of the batch's payments"],
  'messages/waiting/release.ts': [
    3,
    'one row that is quarantined, its savepoint, and the deliveries of a page, by their ids',
  ],
  'core/tables/messages.ts': [2, 'the lock of feeds, and the messages that a transaction wrote, by ids'],
  'core/tasks/under-writer-lock.ts': [1, 'begins a snapshot'],
  'core/tables/policy-rows.ts': [1, 'the policies of the messages of a page, by their addresses'],
}

t.test('every statement of ingest was explained, or is named with the reason why not', t => {
  const missed = new Map<string, number>()
  for (const site of listSites()) {
    const file = site.replace(/:\d+$/, '')
    if (!sites.has(site) && !(file in ELSEWHERE)) missed.set(file, (missed.get(file) ?? 0) + 1)
  }
  const named = Object.entries(BY_KEYS).map(([file, [count]]) => [file, count] as const)
  t.same(Object.fromEntries(missed), Object.fromEntries(named))
  t.end()
})
