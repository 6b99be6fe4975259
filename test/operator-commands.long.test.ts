// What operators run by hand: projections computed anew, and the stream read again.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { subjectOf } from '@payment-tracking/contracts'
import {
  createDatabase,
  dumpProjections,
  findArrivalProblems,
  readExpectedAnswers,
  readFixtureMessages,
  readSecondFixtures,
  shuffleFixtures,
  useEnvironment,
} from '@payment-tracking/testkit'
import { openStore } from '@payment-tracking/store'
import t from 'tap'
import { imitateFirstRelease } from '../services/ingest/test/imitate-first-release.js'
import { ingestSubjects } from '../services/ingest/test/ingest-messages.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

t.test('the stream is read again into an empty database, and projections are computed anew', async t => {
  const { database, nats, settings } = await useEnvironment(t)
  const manager = await nats.connection.jetstreamManager()
  await manager.streams.add({ name: nats.stream, subjects: [`${nats.subjectPrefix}.>`] })
  for (const bytes of await readFixtureMessages())
    await nats.jetstream.publish(subjectOf(nats.subjectPrefix, 'x'), bytes)
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: '/nonexistent',
    ...settings,
  }
  const run = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: ROOT, env })
  const count = async () =>
    Number(
      (await database.pool.query<{ count: string }>('select count(*) as count from events')).rows[0]!.count,
    )

  const refused = await run('scripts/reingest.mjs').catch((error: { stderr: string }) => error)
  t.match(refused.stderr, /^usage: npm run reingest -- --since TIME\|SEQUENCE/)
  const { stdout } = await run('scripts/reingest.mjs', '--since', '1')
  t.match(stdout, /"msg":"reingest\.done"/)
  t.equal(await count(), (await readExpectedAnswers()).stored)
  await run('scripts/reingest.mjs', `--since=${new Date(Date.now() - 86_400_000).toISOString()}`)
  t.equal(await count(), (await readExpectedAnswers()).stored, 'again changes nothing')

  const before = await dumpProjections(database.pool)
  await database.pool.query('delete from policies')
  await database.pool.query('update event_counts set count = count + 1')
  t.match((await run('scripts/rebuild.mjs')).stdout, /"msg":"rebuild\.done"/)
  t.strictSame(await dumpProjections(database.pool), before)
})

t.test(
  'a rebuild of a database of the first release knows composables and the newer policy types',
  async t => {
    const database = await createDatabase(t)
    const store = openStore({ DATABASE_URL: database.url, poolSize: 2 })
    t.teardown(() => store.close())
    await ingestSubjects(store, shuffleFixtures(await readSecondFixtures(), 5))
    const wanted = await dumpProjections(database.pool)
    const types = async () =>
      (
        await database.pool.query<{ kind: string }>(
          `select distinct family || ' ' || json_object_keys(policy_type) as kind from policies order by 1`,
        )
      ).rows.map(({ kind }) => kind)
    const wantedTypes = await types()
    await imitateFirstRelease(database.pool)
    t.not((await types()).length, wantedTypes.length, 'the first release knew fewer')

    const env = { PATH: process.env.PATH, DATA_DIR: '/nonexistent', DATABASE_URL: database.url }
    const { stdout } = await promisify(execFile)(process.execPath, ['scripts/rebuild.mjs'], {
      cwd: ROOT,
      env,
    })
    t.match(stdout, /"msg":"rebuild\.done"/)
    const plain = (rows: string[]) => rows.map(row => row.replace(/"commitment":[^,]*,/, ''))
    const rebuilt = await dumpProjections(database.pool)
    for (const table of Object.keys(wanted) as (keyof typeof wanted)[])
      t.strictSame(plain(rebuilt[table]), plain(wanted[table]), table)
    t.strictSame(await types(), wantedTypes)
    t.strictSame(await findArrivalProblems(database.pool), [])
  },
)
