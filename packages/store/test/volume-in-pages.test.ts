// Each payment of a gateway can be in a token of its own: what was paid comes in pages of 5,000 rows, and nothing of it is left out.
import { openStore, readVolume } from '@payment-tracking/store'
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'

const TOKENS = 12_000
const DAY = 86_400

t.test('the volume of 12,000 tokens is whole', async t => {
  const database = await createDatabase(t)
  const store = openStore({ DATABASE_URL: database.url })
  t.teardown(() => store.close())
  // Three days, of which each has 4,000 tokens: a page ends within a day. The token of the first row is not known.
  await database.pool.query(
    `insert into payment_token_stats (gateway, span, start, token_mint, count, total, min, max)
     select 'g', ${DAY}, to_timestamp(${DAY} * (1 + n % 3)), case when n = 0 then '' else 'mint ' || n end, 1, n, n, n
       from generate_series(0, $1::int - 1) n`,
    [TOKENS],
  )
  const all = { from: 0, to: 10 * DAY, size: 'day' as const }
  for (const span of [all, { ...all, whole: true }]) {
    const volume = await readVolume(store, 'g', span)
    t.equal(volume.length, TOKENS)
    t.equal(new Set(volume.map(({ tokenMint }) => tokenMint)).size, TOKENS)
    t.equal(
      volume.reduce((sum, { amount }) => sum + amount, 0n),
      BigInt((TOKENS * (TOKENS - 1)) / 2),
    )
  }
  const inOneDay = await readVolume(store, 'g', { ...all, from: 2 * DAY, to: 3 * DAY })
  t.equal(inOneDay.length, TOKENS / 3, 'of one day')
  const inMonths = await readVolume(store, 'g', { ...all, size: 'month', whole: true })
  t.ok(inMonths.every(({ buckets }) => buckets.size === 1 && buckets.has(0)))
})
