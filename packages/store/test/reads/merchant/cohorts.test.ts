// Cohorts are read in pages of 100 wallets: each payment is in one.
import t from 'tap'
import { readPaidMonths } from '../../../src/reads/merchant/read-cohorts.js'
import { addEvents } from '../../add-events.js'
import { countRows } from '../../count-rows.js'
import { readPages } from '../../plans/explain.js'
import { openTestStore } from '../../open-test-store.js'

const MANY = 3_000

t.test('each payment is counted once, in whatever page it is', async t => {
  const { store, pool } = await openTestStore(t)
  const paid = { gateway: `'shop'`, amount: 'n', token_mint: `'mint ' || n % 2` }
  await addEvents(
    pool,
    { last: MANY },
    {
      ...paid,
      payer: `'wallet ' || lpad((n % 250)::text, 3, '0')`,
      paid_at: `n * 600`,
    },
  )
  await addEvents(pool, { last: 3 }, { ...paid, payer: `'late'`, paid_at: `9223372036854775807` })
  await addEvents(pool, { last: 3 }, { ...paid, payer: 'null' })
  await addEvents(pool, { last: 3 }, { ...paid, payer: `'gone'`, retracted_at: 'now()' })
  await addEvents(pool, { last: 3 }, { gateway: `'another'`, payer: `'wallet 001'` })
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
  const first = months.filter(({ wallet, tokenMint }) => wallet === 'wallet 001' && tokenMint === 'mint 1')
  t.ok(first.length > 0 && first.every(({ month }) => month === 0), 'three weeks of January 1970')
  t.ok(months.some(({ wallet, month }) => wallet === 'late' && month === (9999 - 1970) * 12 + 11))
  t.ok(Math.max(...counts) <= 110, 'a statement answers with sums')
})
