// Operators see why the archive does not go on, since when, and what to do, until it goes on.
import { readArchiveProblem } from '@payment-tracking/store/core'
import { copyFile, readdir, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { openTestStore } from '@payment-tracking/testkit'
import t from 'tap'
import { openArchiveFiles } from '../../src/archive/open-archive-files.js'
import { FINAL, openArchive, paidIn, stoppingAfter, take } from './open-archive.js'
import { openS3 } from './open-s3.js'

t.test('the problem of the archive is kept until the archive goes on', async t => {
  const { store, pool } = await openTestStore(t)
  const slots = Array.from({ length: 20 }, (_, at) => 100 + at * 50_000)
  await take(store, pool, paidIn(slots).slice(0, -1))
  const archive = await openArchive(t, store)
  const months = 0
  t.equal(await readArchiveProblem(store), undefined)

  await archive.run({ months })
  const first = await readArchiveProblem(store)
  const problem = first!.problem
  t.match(problem, /^2026-05 waits: the event of transaction \w+ in slot 1 is not final\. .*see Pipeline$/)
  await archive.run({ months })
  const again = await readArchiveProblem(store)
  t.same(again!.since, first!.since)
  t.ok(again!.seenAt > first!.seenAt)

  await take(store, pool, [FINAL])
  const { location, env } = await openS3(t)
  const wrong = await openArchiveFiles(location, { ...env, AWS_SECRET_ACCESS_KEY: 'else' })
  await t.rejects(archive.run({ months, files: wrong }))
  const refused = await readArchiveProblem(store)
  t.match(refused!.problem, /^EVENTS_ARCHIVE names s3:.*AWS_SECRET_ACCESS_KEY is not that of/)
  t.ok(refused!.since > first!.since)

  const stop = new AbortController()
  await archive.run({ months, store: stoppingAfter(store, 1, stop) }, stop.signal)
  const folder = join(archive.directory, 'test/2026-05')
  const [file] = (await readdir(folder)).filter(name => name.endsWith('.gz'))
  const part = join(folder, file!)
  await copyFile(part, `${part}.copy`)
  await truncate(part, 9)
  await t.rejects(archive.run({ months }))
  const wrongFile = (await readArchiveProblem(store))!.problem
  t.match(wrongFile, /2026-05\/1-.*SHA-256 differs\): bring it back from a copy$/)
  await copyFile(`${part}.copy`, part)
  await archive.run({ months })
  t.equal(await readArchiveProblem(store), undefined)
})
