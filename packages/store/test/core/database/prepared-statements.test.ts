// Reads that go past Prisma give the values that Prisma gives.
import t, { type Test } from 'tap'
import { openPipelinedReads } from '../../../src/core/database/pipelined-reads.js'
import { poolQueries } from '../../../src/core/database/pool-queries.js'
import { prepareStatements } from '../../../src/core/database/prepared-statements.js'
import { openStore } from '../../../src/core/database/open-store.js'
import { inline, sql } from '../../../src/core/database/sql.js'
import { openTestStore } from '../../open-test-store.js'

t.test('values come and go as through Prisma', async t => {
  const { store, pool, url } = await openTestStore(t)
  const { database } = store
  const times = [
    '0001-01-01T00:00:00.000Z',
    '0099-12-31T23:59:59.999Z',
    '0999-06-01T12:00:00.000Z',
    '1000-01-01T00:00:00.000Z',
    '1883-11-18T12:03:58.000Z',
    '1969-12-31T23:59:59.999Z',
    '2026-02-28T23:59:59.100Z',
    '2026-11-21T05:06:07.008Z',
    '9999-12-31T23:59:59.999Z',
  ]
  for (const zone of ['UTC', 'Asia/Kathmandu', 'America/New_York']) {
    await pool.query(`alter database ${new URL(url).pathname.slice(1)} set timezone = '${zone}'`)
    const zoned = openStore({ DATABASE_URL: url })
    t.teardown(() => zoned.close())
    for (const time of times) {
      const rows = await zoned.database.read(sql`select ${new Date(time)}::timestamptz as at`)
      t.same(rows, [{ at: new Date(time) }], `${time} in ${zone}`)
    }
  }
  const statement = sql`
    select ${18446744073709551615n}::numeric::text as amount, ${9007199254740993n}::bigint as big, ${7}::int as small,
           ${'"\\ü☕'}::text as text, ${null}::text as nothing, ${['a', 'b']}::text[] as list, ${true}::boolean as flag,
           '{"a":  1.0}'::json::text as data, '00000000-0000-4000-8000-000000000001'::uuid as id`
  const expected = await database.write(statement)
  t.same(await database.read(statement), expected)
  t.same(await database.lookUp(statement), expected)
})

t.test('each connection prepares a statement once, and at most 200 statements', async t => {
  const { store } = await openTestStore(t, { poolSize: 1 })
  const { database } = store
  const count = async () => {
    const rows = await database.read<{ n: number }>(
      sql`select count(*)::int as n from pg_prepared_statements`,
    )
    return rows[0]!.n
  }
  const ask = (n: number) => database.read(sql`select ${inline(n)}::int as n`)
  const before = await count()
  for (let n = 0; n < 5; n++) await ask(1)
  t.equal(await count(), before + 1)
  for (let n = 0; n < 300; n++) t.same(await ask(n), [{ n }])
  t.equal(await count(), 200)
})

/** Reads over each pool, where only a few statements are prepared. One after the other, they use one connection. */
async function openFew(t: Test, limits: { most: number; every: number }) {
  const { url, pool } = await openTestStore(t)
  const pooled = poolQueries(pool)
  const pipelined = openPipelinedReads({ connectionString: url }, pooled)
  t.teardown(() => pipelined.close())
  return [pooled, pipelined].map(pool => {
    const run = prepareStatements(pool, { limits })
    const ask = async (n: number) => {
      const [row] = await run<{ n: number }>({ text: `select ${n}::int as n`, values: [] })
      if (row?.n !== n) throw new Error(`asked for ${n}, got ${row?.n}`)
    }
    /** of the connection */
    const check = async () => {
      const { rows } = await pool.query({
        text: `select pg_backend_pid() as pid, array_agg(statement) as texts from pg_prepared_statements`,
      })
      const { pid, texts } = rows[0] as { pid: number; texts: string[] | null }
      return { pid, count: texts?.length ?? 0, has: (n: number) => texts?.includes(`select ${n}::int as n`) }
    }
    return { ask, check, atOnce: pool === pooled ? 1 : 50 }
  })
}

t.test('the first statements, such as a stranger’s, kept all others unprepared for ever', async t => {
  for (const { ask, check } of await openFew(t, { most: 4, every: 40 })) {
    for (let n = 1; n <= 4; n++) await ask(n)
    const HOT = 100
    await ask(HOT)
    t.notOk((await check()).has(HOT), 'each place is taken')
    for (let n = 0; n < 40; n++) await ask(HOT)
    const { pid } = await check()
    t.ok((await check()).has(HOT), 'it is used most')
    // A flood of statements that are used less often.
    for (let n = 200; n < 400; n++) {
      await ask(n)
      await ask(HOT)
    }
    const after = await check()
    t.equal(after.pid, pid)
    t.ok(after.has(HOT))
    t.ok(after.count <= 5 + 3 * 10, 'what is used once takes the place of what was used once')
  }
})

t.test('however often others are used most, a connection keeps no more than 401', async t => {
  for (const { ask, check, atOnce } of await openFew(t, { most: 200, every: 200 })) {
    const pids = new Set<number>()
    for (let round = 0; round < 5; round++) {
      for (let use = 0; use < 600; use += atOnce)
        await Promise.all(Array.from({ length: atOnce }, (_, n) => ask(round * 200 + ((use + n) % 200))))
      const { pid, count } = await check()
      t.ok(count <= 401, `${count} are prepared`)
      pids.add(pid)
    }
    t.ok(pids.size > 1, 'another takes its place')
  }
})
