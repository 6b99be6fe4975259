// An archiver that is killed at each of its steps, while ingest stores messages of the same months, loses and doubles nothing:
// what it had begun, the next one finishes.
import t from 'tap'
import { killEverywhere, killInEachRequest } from './kill-everywhere.js'
import { makeDirectory } from './open-archive.js'
import { openS3 } from './open-s3.js'

t.setTimeout(600_000)

t.test('killed at each step, beside a running ingest', async t => {
  await killEverywhere(t, {
    location: await makeDirectory(t),
    env: {},
    dieAt: death => death,
    diesRestoring: true,
  })
})

t.test('killed in the middle of each thing that it sends to an S3 store', async t => {
  await killInEachRequest(t, await openS3(t))
})
