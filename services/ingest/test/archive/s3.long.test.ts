// An archive in an S3 server from npm, which needs nothing of the machine.
import { createServer, type AddressInfo } from 'node:net'
import t from 'tap'
import { openArchiveFiles } from '../../src/archive/open-archive-files.js'
import { openS3 } from './open-s3.js'
import { testS3Store } from './test-s3-store.js'

t.setTimeout(300_000)

testS3Store(openS3)

t.test('a store that is away for a moment is asked again', async t => {
  const s3 = await openS3(t)
  let refusals = 0
  const server = createServer(socket => {
    refusals += 1
    socket.once('data', () =>
      socket.end('HTTP/1.1 503 Slow Down\r\nconnection: close\r\ncontent-length: 0\r\n\r\n'),
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const files = await openArchiveFiles(s3.location, { ...s3.env, AWS_ENDPOINT_URL: address })
  t.equal(await files.check(), false, 'ingest starts without it')
  refusals = 0
  await t.rejects(files.write('a', Buffer.from('a')), { code: 'ARCHIVE_UNUSABLE', message: /status 503/ })
  t.equal(refusals, 3)
})
