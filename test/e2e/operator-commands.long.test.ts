// What operators run by hand: projections computed anew, and the stream read again.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { subjectOf } from '@payment-tracking/contracts'
import { SHORT_LIVED_OPTIONS } from '@payment-tracking/stack'
import {
  countRows,
  dumpProjections,
  readExpectedAnswers,
  readFixtureMessages,
  useEnvironment,
} from '@payment-tracking/testkit'
import t from 'tap'
import { ROOT } from '../repository.js'

t.test('the stream is read again into an empty database, and projections are computed anew', async t => {
  const { database, nats, settings } = await useEnvironment(t)
  await nats.addStream()
  for (const bytes of await readFixtureMessages())
    await nats.jetstream.publish(subjectOf(nats.subjectPrefix, 'x'), bytes)
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: '/nonexistent',
    ...settings,
  }
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [...SHORT_LIVED_OPTIONS, ...args], { cwd: ROOT, env })
  const REINGEST = ['scripts/run.mjs', 'services/ingest/dist/reingest.js']
  const count = () => countRows(database.pool, 'events')

  const refused = await run(...REINGEST).catch((error: { stderr: string }) => error)
  t.match(refused.stderr, /^usage: npm run operate -- reingest --since TIME\|SEQUENCE/m)
  const lines = refused.stderr.split('\n')
  t.ok(Math.max(...lines.map(line => line.length)) <= 100, 'fits a terminal of 100 columns')
  const { stdout } = await run(...REINGEST, '--since', '1')
  t.match(stdout, /"msg":"reingest\.done"/)
  t.equal(await count(), (await readExpectedAnswers()).stored)
  await run(...REINGEST, `--since=${new Date(Date.now() - 86_400_000).toISOString()}`)
  t.equal(await count(), (await readExpectedAnswers()).stored, 'again changes nothing')

  const before = await dumpProjections(database.pool)
  await database.pool.query('delete from policies')
  await database.pool.query('update event_counts set count = count + 1')
  t.match((await run('scripts/run.mjs', 'packages/store/dist/rebuild.js')).stdout, /"msg":"rebuild\.done"/)
  t.strictSame(await dumpProjections(database.pool), before)
})
