// A standby that lacks the last pages becomes the primary while months are filled: lists never show an event that is short.
import { openStore } from '@payment-tracking/store/core'
import { createDatabase, openPostgresPair, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { halvesOf, listMonths } from './half-months.js'
import { countShort, openArchive, operate, paidIn, take, watched } from './open-archive.js'

t.setTimeout(300_000)

t.test('a promotion while months are restored loses and doubles nothing', async t => {
  const pair = await openPostgresPair(t)
  const { url, pool } = await createDatabase(t, { serverUrl: pair.url })
  // Its idle connections end with the primary.
  pool.on('error', () => {})
  const store = openStore({ DATABASE_URL: url, poolSize: 2 })
  t.teardown(() => store.close())
  const payments = 60
  const slots = Array.from({ length: payments }, (_, at) => 100 + at * 50_000)
  await take(store, pool, paidIn(slots))
  const all = 'select id, data::text as data, shrunk from events order by id'
  const { rows: before } = await pool.query(all)
  const wereThere = await listMonths(store)
  const short = () => countShort(pool)
  const readRun = async () =>
    (await pool.query<{ run: string }>('select extract(epoch from pg_postmaster_start_time())::text as run'))
      .rows[0]!.run

  const archive = await openArchive(t, store)
  const guard = { serverRun: readRun }
  await archive.run({ months: 0, guard })
  t.equal(await short(), payments)

  let pages = 0
  const check = async (kind: 'page' | 'move') => {
    if (kind === 'page') pages += 1
    if (kind === 'page' && pages === 4) {
      await pair.standbyCaughtUp()
      await pair.cutReplication()
    }
    if (kind === 'page' && pages === 7) {
      const left = await short()
      await pair.promote()
      const leftThere = await waitFor(short, { what: 'the new primary' })
      t.ok(leftThere > left, `${left} events are short, and ${leftThere} on the new primary`)
    }
  }
  const month = [...wereThere.keys()].sort()[0]!
  const restored = operate(watched(store, check), archive.files, { does: 'restore', month })
  const isRestored = await restored.then(({ isRight }) => isRight).catch(() => false)
  t.ok(pages > 7, `${pages} pages`)
  // Ingest finds that a restore is not finished.
  if (!isRestored)
    await waitFor(() => archive.run({ months: 0, guard }).then(() => true), { what: 'the archive to go on' })
  t.strictSame((await pool.query(all)).rows, before, 'every message is there once')
  t.strictSame(halvesOf(await listMonths(store), wereThere), [])
  t.equal((await listMonths(store)).size, wereThere.size)
})
