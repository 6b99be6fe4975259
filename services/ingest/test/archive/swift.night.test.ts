// An archive in OpenStack Swift, which checks signatures, keys, regions and rights.
import { openLink, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openArchiveFiles } from '../../src/archive/open-archive-files.js'
import { killInEachRequest } from './kill-everywhere.js'
import { installSwift, openSwift } from './open-swift.js'
import { testS3Store } from './test-s3-store.js'

const lacking = await installSwift()
if (lacking !== null) void t.test(lacking, { skip: true }, () => {})
else {
  const swift = await openSwift(t)
  testS3Store(() => Promise.resolve(swift))

  t.test('an archiver is killed in the middle of each thing that it sends', t => killInEachRequest(t, swift))

  t.test('the server of objects is killed in an upload', async t => {
    const link = await openLink(t, swift.env.AWS_ENDPOINT_URL!)
    const files = await openArchiveFiles(swift.location, { ...swift.env, AWS_ENDPOINT_URL: link.url })
    const bytes = Buffer.alloc(16 * 1024 * 1024, 'payments')
    const written = files.write('part', bytes).catch((error: Error) => error)
    await waitFor(() => link.traffic().sent > 1_000_000, { what: 'a megabyte', intervalMs: 0 })
    swift.kill()
    t.match(await written, { code: 'ARCHIVE_UNUSABLE', message: /status 503/ })
    t.equal(await files.check(), false, 'ingest starts without it')
    await swift.restart()
    await t.rejects(files.read('part'), /is not below EVENTS_ARCHIVE/, 'there is no part of a file')
    await files.write('part', bytes)
    t.ok((await files.read('part')).equals(bytes))
  })
}
