// Cohorts are read in pages of 1,000 payments: each payment is in one, those of one second too.
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { openStore } from '../src/database/open-store.js'
import { readPaidMonths } from '../src/index.js'
import { addEvents } from './add-events.js'
import { countRows } from './count-rows.js'
import { readPages } from './plans/explain.js'

const MANY = 3_000
/** Payments of one second, on both sides of where a page would end. */
const TIED = 40

t.test('each payment is counted once, in whatever page it is', async t => {
  const database = await createDatabase(t)
  const store = openStore({ DATABASE_URL: database.url })
  t.teardown(() => store.close())
  const paid = { gateway: `'shop'`, amount: 'n', token_mint: `'mint ' || n % 2` }
  await addEvents(
    database.pool,
    { last: MANY },
    {
      ...paid,
      payer: `'wallet ' || lpad((n / 1500)::text, 2, '0')`,
      paid_at: `case when n between ${1_000 - TIED} and ${1_000 + TIED} then 1000 else n end * 600`,
    },
  )
  await addEvents(database.pool, { last: 3 }, { ...paid, payer: `'late'`, paid_at: `9223372036854775807` })
  await addEvents(database.pool, { last: 3 }, { ...paid, payer: 'null' })
  await addEvents(database.pool, { last: 3 }, { ...paid, payer: `'gone'`, retracted_at: 'now()' })
  await addEvents(database.pool, { last: 3 }, { gateway: `'another'`, payer: `'wallet 00'` })
  const { store: counting, counts } = countRows(store)
  const months = (await readPages(readPaidMonths(counting, 'shop'))).flat()
  const sum = (of: (month: (typeof months)[number]) => bigint) =>
    months.reduce((all, each) => all + of(each), 0n)
  t.equal(
    sum(({ count }) => count),
    BigInt(MANY + 3),
  )
  t.equal(
    sum(({ amount }) => amount),
    (BigInt(MANY) * BigInt(MANY + 1)) / 2n + 6n,
  )
  t.same(
    months.map(({ wallet }) => wallet),
    months.map(({ wallet }) => wallet).sort(),
    'wallet by wallet',
  )
  const first = months.filter(({ wallet, tokenMint }) => wallet === 'wallet 00' && tokenMint === 'mint 1')
  t.strictSame(
    first.map(({ month, amount }) => [month, amount]),
    [[0, first[0]!.amount]],
    'three weeks of January 1970',
  )
  t.ok(months.some(({ wallet, month }) => wallet === 'late' && month === (9999 - 1970) * 12 + 11))
  t.ok(Math.max(...counts) < 100, 'a statement answers with sums')
})
