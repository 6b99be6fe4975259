// A standby that lacks the last pages becomes the primary while months are filled: lists never show an event that is short.
import { openStore } from '@payment-tracking/store/core'
import { createDatabase, openPostgresPair, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { runArchive } from '../../src/archive/archive-command.js'
import { created, drain, ingest, pay, PERIODS, userPayment } from '../recompute-history.js'
import { halvesOf, listMonths } from './half-months.js'
import { openArchive, watched } from './open-archive.js'

t.setTimeout(300_000)

t.test('a promotion while months are restored loses and doubles nothing', async t => {
  const pair = await openPostgresPair(t)
  const { url, pool } = await createDatabase(t, { serverUrl: pair.url })
  // Its idle connections end with the primary.
  pool.on('error', () => {})
  const store = openStore({ DATABASE_URL: url, poolSize: 2 })
  t.teardown(() => store.close())
  await ingest(store, [
    userPayment,
    created(1, 10, PERIODS),
    ...Array.from({ length: 60 }, (_, at) => pay(100 + at * 50_000)),
    { subject: 'chain.events.control.finalized', bytes: Buffer.from('{"slot":9000000000000000}') },
  ])
  await drain(store)
  await pool.query('update ingest_batches set relayed_at = now()')
  const all = 'select id, data::text as data, shrunk from events order by id'
  const { rows: before } = await pool.query(all)
  const wereThere = await listMonths(store)
  const payments = 60
  const short = async () =>
    (await pool.query<{ count: number }>('select count(*)::int from events where shrunk')).rows[0]!.count
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
  const log = { info: () => {}, warn: () => {} }
  const said: string[] = []
  const parts = {
    store: watched(store, check),
    files: archive.files,
    log,
    say: (line: string) => void said.push(line),
  }
  const month = [...wereThere.keys()].sort()[0]!
  const isRestored = await runArchive({ does: 'restore', month }, parts).catch(() => false)
  t.ok(pages > 7, `${pages} pages`)
  // Ingest finds that a restore is not finished.
  if (!isRestored)
    await waitFor(() => archive.run({ months: 0, guard }).then(() => true), { what: 'the archive to go on' })
  t.strictSame((await pool.query(all)).rows, before, 'every message is there once')
  t.strictSame(halvesOf(await listMonths(store), wereThere), [])
  t.equal((await listMonths(store)).size, wereThere.size)
})
