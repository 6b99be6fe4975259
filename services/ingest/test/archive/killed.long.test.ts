// An archiver that is killed at each of its steps, while ingest stores messages of the same months, loses and doubles nothing:
// what it had begun, the next one finishes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { listArchiveParts } from '@payment-tracking/store/ingest'
import { SHORT_LIVED_OPTIONS } from '@payment-tracking/stack'
import { dumpProjections, findArrivalProblems, openTestStore } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { openArchiveFiles } from '../../src/archive/open-archive-files.js'
import { created, drain, ingest, PERIODS, retraction, START, userPayment } from '../recompute-history.js'
import { findHalfMonths, listMonths } from './half-months.js'
import { FINAL, makeDirectory, monthsBefore, operate, pay, relayAll, take } from './open-archive.js'
import { openCut, openS3 } from './open-s3.js'

/** Beside the bundle of the test. */
const ARCHIVER = join(dirname(process.argv[1]!), 'archiver-that-dies.program.js')
const POLICIES = Array.from({ length: 6 }, (_, at) => at + 1)
const MONTH_SECONDS = 31 * 86_400

/** Payments of three months. */
const early = [
  userPayment,
  ...POLICIES.map(id => created(id, 10 * id, PERIODS)),
  ...Array.from({ length: 150 }, (_, at) => pay(100 + at * 50_000, 1 + (at % POLICIES.length))),
]
/** Between them, while they are archived. */
const LATE = Array.from({ length: 60 }, (_, at) => [
  pay(130 + at * 125_000, 1 + (at % POLICIES.length)),
  ...(at % 5 === 0 ? [retraction(100 + at * 100_000)] : []),
])

interface Archive {
  /** EVENTS_ARCHIVE */
  location: string
  /** the AWS_ variables */
  env: Record<string, string>
  /** Arranges an archiver's nth death. @returns the step at which it dies by itself */
  dieAt: (death: number, die: () => void) => number
  diesRestoring?: boolean
}

async function killEverywhere(t: Test, { location, env, dieAt, diesRestoring }: Archive): Promise<void> {
  const late = LATE.slice()
  const months = monthsBefore(new Date((START + 4 * MONTH_SECONDS) * 1000))
  const { store, database } = await openTestStore(t)
  await ingest(store, [...early, FINAL])
  await relayAll(database.pool)
  const wereThere = await listMonths(store)
  const reference = await openTestStore(t)
  await ingest(reference.store, [...early, FINAL, ...late.flat()])
  await drain(reference.store)
  const wanted = await dumpProjections(reference.database.pool)

  /** @param args what the archiver does @returns the signal that ended it */
  const run = async (dies: number, ...args: string[]): Promise<string | null> => {
    const step = dieAt(dies, () => child.kill('SIGKILL'))
    const child = spawn(
      process.execPath,
      [...SHORT_LIVED_OPTIONS, ARCHIVER, location, String(step), ...args],
      {
        env: { PATH: process.env.PATH, DATABASE_URL: database.url, ...env },
        stdio: 'inherit',
      },
    )
    t.teardown(() => child.kill('SIGKILL'))
    const ended = once(child, 'exit') as Promise<[number | null, string | null]>
    let isRunning = true
    void ended.then(() => (isRunning = false))
    while (isRunning) {
      const next = late.shift()
      if (next === undefined) break
      await take(store, database.pool, next)
    }
    const [code, signal] = await ended
    if (signal === null) t.equal(code, 0)
    t.strictSame(await findHalfMonths(store, wereThere), [], `no month is half there (${args[0]}, ${dies})`)
    return signal
  }
  /** Kills it at each of its first steps, and then at every third, until it ends by itself. */
  const untilDone = async (...args: string[]) => {
    let deaths = 0
    for (let dies = 1; (await run(dies, ...args)) === 'SIGKILL'; dies += dies < 8 ? 1 : 3) deaths++
    t.ok(deaths >= 8, `${deaths} deaths`)
  }
  const { pool } = database
  await untilDone('archive', String(months))
  await take(store, pool, late.splice(0).flat())
  await run(0, 'archive', String(months))

  t.ok(isDeepStrictEqual(await dumpProjections(pool), wanted), 'as where nothing was archived')
  t.strictSame(await findArrivalProblems(pool), [])
  const { rows } = await pool.query(
    `select count(*) filter (where occurred_at >= (select lists_begin from stream_head))::int as listed,
            count(*) filter (where shrunk <> (amount is not null))::int as wrong from events`,
  )
  t.strictSame(rows, [{ listed: 0, wrong: 0 }], 'all is archived')
  const parts = await listArchiveParts(store)
  const found = parts.reduce((sum, { count }) => sum + count, 0)
  t.equal(found, wanted.events.length, 'each event is in one file')
  const files = await openArchiveFiles(location, env)
  const { isRight, said } = await operate(store, files, { does: 'verify' })
  t.ok(isRight, said)
  const { month } = parts[0]!
  if (diesRestoring) await untilDone('restore', month)
  else await run(0, 'restore', month)
  t.strictSame(await listArchiveParts(store), [])
  const data = 'select id, data::text as data, shrunk from events order by id'
  t.strictSame((await pool.query(data)).rows, (await reference.database.pool.query(data)).rows, 'each once')
  t.equal((await listMonths(store)).size, wereThere.size, 'and in lists')
}

t.setTimeout(600_000)

t.test('killed at each step, beside a running ingest', async t =>
  killEverywhere(t, {
    location: await makeDirectory(t),
    env: {},
    dieAt: death => death,
    diesRestoring: true,
  }),
)

t.test('killed in the middle of each thing that it sends to an S3 store', async t => {
  const { location, env, port } = await openS3(t)
  const cut = await openCut(t, port)
  await killEverywhere(t, {
    location,
    env: { ...env, AWS_ENDPOINT_URL: cut.address },
    dieAt: (death, die) => {
      cut.at(death === 0 ? Infinity : death, die)
      return 0
    },
  })
})
