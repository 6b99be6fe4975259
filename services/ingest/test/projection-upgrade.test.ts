// The work after an upgrade, page by page. test/upgrade-data.long.test.ts does the same with rows that the first
// release wrote. This test imitates those rows, so that pages can end anywhere.
import { areProjectionsOutdated, openStore, upgradeProjections } from '@payment-tracking/store'
import {
  createDatabase,
  dumpProjections,
  findArrivalProblems,
  readSecondFixtures,
  shuffleFixtures,
  type Pool,
} from '@payment-tracking/testkit'
import t from 'tap'
import { imitateFirstRelease } from './imitate-first-release.js'
import { ingestSubjects, PROGRAM } from './ingest-messages.js'

const { programId } = PROGRAM

const countOf = async (pool: Pool, sql: string): Promise<number> =>
  Number((await pool.query<{ count: string }>(sql)).rows[0]!.count)

t.test('rows that an earlier release projected become right, wherever a process ends in between', async t => {
  const database = await createDatabase(t)
  const { pool } = database
  const open = () => openStore({ DATABASE_URL: database.url, poolSize: 2 })
  const first = open()
  await ingestSubjects(first, shuffleFixtures(await readSecondFixtures(), 21))
  while ((await upgradeProjections(first, { programId })) !== null);
  t.equal(await areProjectionsOutdated(first), false, 'what this release wrote is right')
  const wanted = await dumpProjections(pool)
  await pool.query(`insert into webhooks (gateway, endpoint_url, secret)
    select distinct gateway, 'http://127.0.0.1:9/', 'whsec_' from events where name = 'ComposableExecuted'`)
  await imitateFirstRelease(pool)
  await pool.query('delete from announcements')
  t.equal(await areProjectionsOutdated(first), true)

  // Two replicas run at a time. Each replica is closed after some pages, and another replica takes its place.
  let stores = [first, open()]
  let pages = 0
  while (await areProjectionsOutdated(stores[0]!)) {
    const done = await Promise.all(stores.map(store => upgradeProjections(store, { programId })))
    pages += done.filter(each => each !== null).length
    if (pages % 3 === 0) {
      const [closing, staying] = stores as [typeof first, typeof first]
      await closing.close()
      stores = [staying, open()]
    }
  }
  t.teardown(() => Promise.all(stores.map(store => store.close())))
  t.ok(pages > 5, `${pages} pages`)
  const plain = (rows: string[]) => rows.map(row => row.replace(/"commitment":[^,]*,/, ''))
  const upgraded = await dumpProjections(pool)
  for (const table of Object.keys(wanted) as (keyof typeof wanted)[])
    t.strictSame(plain(upgraded[table]), plain(wanted[table]), table)
  t.strictSame(await findArrivalProblems(pool), [])

  const executions = `from events where name = 'ComposableExecuted' and retracted_at is null and not awaits_policy`
  t.equal(
    await countOf(pool, 'select count(*) from deliveries'),
    await countOf(pool, `select count(*) ${executions}`),
    'each payment that was unknown is delivered, and no other is',
  )
  t.equal(
    await countOf(pool, 'select count(*) from announcements'),
    await countOf(pool, `select count(*) ${executions} and tracking_id is not null`),
    'and announced once',
  )
  t.equal(
    await countOf(pool, 'select reingest_from as count from stream_head'),
    1,
    'the stream is read again',
  )

  t.test('a second pass repairs the rows that a previous release writes afterwards', async t => {
    const [store] = stores as [typeof first]
    await pool.query(`
      update ingest_batches set rules = 1 where id = (select max(id) from ingest_batches);
      update policies set status = 'wrong';
      update stream_head set reingest_from = null;
      update projection_upgrades set up_to_position = up_to_position - 20`)
    t.equal(await areProjectionsOutdated(store), true)
    while ((await upgradeProjections(store, { programId })) !== null);
    t.equal(await areProjectionsOutdated(store), false)
    const touched = `address in (select payment_policy from events where position > (select position - 20 from stream_head))`
    t.equal(await countOf(pool, `select count(*) from policies where status = 'wrong' and ${touched}`), 0)
    t.ok(
      (await countOf(pool, `select count(*) from policies where status = 'wrong'`)) > 0,
      'what was right before is left alone',
    )
    t.ok(
      await countOf(pool, 'select reingest_from as count from stream_head'),
      'its part of the stream is read again',
    )
  })

  t.test('rows of a newer release stay unchanged', async t => {
    await pool.query('update stream_head set projection_version = 3')
    t.equal(await upgradeProjections(stores[0]!, { programId }), null)
  })
})
