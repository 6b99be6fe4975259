// Reads that go past the client give what the client would.
import { openStore, readFrom } from '@payment-tracking/store'
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'

t.test('values come and go as through the client', async t => {
  const { url } = await createDatabase(t)
  const store = openStore({ DATABASE_URL: url })
  t.teardown(() => store.close())
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
    await store.prisma.$executeRawUnsafe(
      `alter database ${new URL(url).pathname.slice(1)} set timezone = '${zone}'`,
    )
    const zoned = openStore({ DATABASE_URL: url })
    t.teardown(() => zoned.close())
    for (const time of times) {
      const rows = await readFrom(zoned, sql => sql.$queryRaw`select ${new Date(time)}::timestamptz as at`)
      t.same(rows, [{ at: new Date(time) }], `${time} in ${zone}`)
    }
  }
  const ask = (sql: Pick<typeof store.prisma, '$queryRaw'>) => sql.$queryRaw`
    select ${18446744073709551615n}::numeric::text as amount, ${9007199254740993n}::bigint as big, ${7}::int as small,
           ${'"\\ü☕'}::text as text, ${null}::text as nothing, ${['a', 'b']}::text[] as list, ${true}::boolean as flag,
           '{"a":  1.0}'::json::text as data, '00000000-0000-4000-8000-000000000001'::uuid as id`
  t.same(await readFrom(store, sql => ask(sql as typeof store.prisma)), await ask(store.prisma))
})

t.test('a statement is prepared once, and only so many are', async t => {
  const { url } = await createDatabase(t)
  const store = openStore({ DATABASE_URL: url, poolSize: 1 })
  t.teardown(() => store.close())
  const count = async () => {
    const rows = await readFrom(
      store,
      sql => sql.$queryRaw<{ n: number }[]>`select count(*)::int as n from pg_prepared_statements`,
    )
    return rows[0]!.n
  }
  const { raw } = (await import('../src/generated/client.js')).Prisma
  const ask = (n: number) => readFrom(store, sql => sql.$queryRaw`select ${raw(String(n))}::int as n`)
  const before = await count()
  for (let n = 0; n < 5; n++) await ask(1)
  t.equal(await count(), before + 1)
  for (let n = 0; n < 300; n++) t.same(await ask(n), [{ n }])
  t.equal(await count(), 200)
})
