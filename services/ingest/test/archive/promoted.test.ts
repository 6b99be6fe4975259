// A standby that lacks the last moved pages becomes the primary while a month moves. The archiver goes on there, and the month
// is archived whole.
import { openStore } from '@payment-tracking/store'
import { createDatabase, openPostgresPair, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { runArchive } from '../../src/archive/archive-command.js'
import { created, drain, ingest, pay, PERIODS, userPayment } from '../refold-history.js'
import { findHalfMonths, listMonths } from './half-months.js'
import { openArchive } from './open-archive.js'

t.setTimeout(300_000)

t.test('a promotion while a month moves loses and doubles nothing', async t => {
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
  const all = 'select id, data::text as data, archived from events order by id'
  const { rows: before } = await pool.query(all)
  const wereThere = await listMonths(store)
  const archived = async () =>
    (await pool.query<{ count: number }>('select count(*)::int from events where archived')).rows[0]!.count
  const readRun = async () =>
    (await pool.query<{ run: string }>('select extract(epoch from pg_postmaster_start_time())::text as run'))
      .rows[0]!.run

  // The first transaction records the part, the others move its pages.
  let transactions = 0
  let moved = 0
  const archive = await openArchive(t, store)
  const run = async () => {
    const verified = await readRun()
    const serverRun = async () => {
      transactions += 1
      if (transactions === 3) {
        await pair.standbyCaughtUp()
        await pair.cutReplication()
      }
      if (transactions === 5) {
        moved = await archived()
        await pair.promote()
      }
      return verified
    }
    await archive.run({ months: 0, guard: { serverRun }, sizer: { rowsOf: () => 5, note: () => {} } })
  }
  await t.rejects(run(), 'the round ends with the primary')
  const left = await waitFor(archived, { what: 'the new primary' })
  t.ok(left > 0 && left < moved, `${moved} events were moved, the new primary knows of ${left}`)
  t.strictSame(await findHalfMonths(store, wereThere), [])
  await waitFor(() => run().then(() => true), { what: 'the archive to go on' })

  t.equal(await archived(), before.length)
  const said: string[] = []
  const log = { info: () => {}, warn: () => {} }
  const parts = { store, files: archive.files, log, say: (line: string) => void said.push(line) }
  t.ok(await runArchive({ does: 'verify' }, parts), said.join('\n'))
  for (const month of wereThere.keys()) await runArchive({ does: 'restore', month }, parts)
  t.strictSame((await pool.query(all)).rows, before, 'every message is there once')
})
