// Reads that go past Prisma give the values that Prisma gives.
import t from 'tap'
import { openStore } from '../../src/database/open-store.js'
import { inline, sql } from '../../src/database/sql.js'
import { openTestStore } from '../open-test-store.js'

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
