// A batch that waits for the writer lock comes before the pages of work that ask for the lock later: Postgres hands the row
// of stream_head on in the order of asking. So a batch waits for one page of each process at most, however much work is left.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import {
  buildBatch,
  buildChain,
  createDatabase,
  fillPayments,
  type ChainMessage,
} from '@payment-tracking/testkit'
import t from 'tap'
import { beginNewRules } from '../../src/ingest/batch/begin-rebuild.js'
import { commitBatch } from '../../src/ingest/batch/commit-batch.js'
import { openStore } from '../../src/core/database/open-store.js'
import { runTaskPage } from '../../src/ingest/batch/do-work.js'

const programId = DEFAULT_PROGRAM_ID
const PROCESSES = 3
const BATCHES = 40
/** Small, so that there are many pages. */
const sizer = { rowsOf: () => 20, note: () => {} }
t.setTimeout(300_000)

const database = await createDatabase(t)
const open = () => {
  const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
  t.teardown(() => store.close())
  return store
}
const store = open()
const commit = (...messages: ChainMessage[]) => commitBatch(store, buildBatch(messages))

const TIME = Date.parse('2026-03-01T12:00:00.000Z')
const chain = buildChain({ seed: 'fair', firstSlot: 1_000_000, now: () => TIME })
const gateway = await chain.openGateway()
const userPayment = await chain.openUserPayment()
const policy = await chain.openPolicy(gateway, userPayment, { trackingId: 'fair' })
await commit(gateway.created, userPayment.created, policy.created)
await commit(chain.pay(policy))
await fillPayments(database.pool, { policy: policy.address, count: 40_000 })
await database.pool.query('vacuum analyze')
await database.pool.query('update stream_head set projection_version = 0')
await beginNewRules(store)

t.test('a batch waits for few pages, however much work is left', async t => {
  let pages = 0
  let stopped = false
  const working = Array.from({ length: PROCESSES }, async () => {
    const own = open()
    while (!stopped && (await runTaskPage(own, { programId, sizer })).length > 0) pages += 1
  })
  const now = buildChain({ seed: 'fair now', firstSlot: 2_000_000, now: () => TIME + 3_600_000 })
  const waited: number[] = []
  // On a busy machine pages come late: then there are more batches, until there were pages to stand behind.
  while (waited.length < BATCHES || pages <= BATCHES / 2) {
    const message = now.pay(policy)
    const before = pages
    await commit(message)
    waited.push(pages - before)
  }
  const { rows } = await database.pool.query('select 1 from work')
  t.ok(rows.length > 0, 'work was left all the time')
  stopped = true
  await Promise.all(working)
  t.comment(`${pages} pages were done beside ${waited.length} batches`)
  // Counted from before the batch asks for the lock until its commit is announced, so a page or two of each process more. If
  // the machine stops this process in between, it also counts the pages of the pause: one batch of ten may be such a one.
  const most = waited.toSorted((a, b) => a - b)[Math.floor(waited.length * 0.9)]!
  t.ok(most <= 3 * PROCESSES, `pages between: ${waited.join(' ')}`)
})
