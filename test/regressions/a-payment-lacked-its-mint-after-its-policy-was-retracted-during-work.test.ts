// A policy was recomputed in pages. Meanwhile its Created event was retracted, an early payment came, and another Created
// event named the same user payment. The work compared what it knew of the user payment with what it had known, found no
// difference, and passed over the early payment.
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { commitBatch, runTaskPage } from '@payment-tracking/store/ingest'
import { openTestStore } from '@payment-tracking/testkit'
import t from 'tap'
import { created, createdRetracted, LEARNED, paid } from '../models/replay/policy-batches.js'

/** The most payments that a transaction derives here. */
const PAGE = 1

t.test('a payment gets its mint though its policy was retracted while work was under way', async t => {
  const { store, pool } = await openTestStore(t)
  const commit = (...batches: Parameters<typeof commitBatch>[1][]) =>
    batches.reduce<Promise<unknown>>(
      (before, batch) => before.then(() => commitBatch(store, { ...batch, rowsAtOnce: PAGE })),
      Promise.resolve(),
    )
  const page = async () => {
    const sizer = { rowsOf: () => PAGE, note() {} }
    return (await runTaskPage(store, { programId: DEFAULT_PROGRAM_ID, sizer })).length > 0
  }
  await commit(LEARNED, paid(3), paid(5), created(2))
  await page()
  await commit(createdRetracted(2), paid(1), created(4))
  while (await page());
  const { rows } = await pool.query(
    `select record_id::int as payment, token_mint is not null as known from events where name = 'PaymentRecord' order by 1`,
  )
  t.same(
    rows,
    [1, 3, 5].map(payment => ({ payment, known: true })),
  )
})
