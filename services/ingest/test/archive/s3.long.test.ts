// An archive in an S3 server from npm, which needs nothing of the machine. Files that were written can be read. Wrong settings are
// named in one line before anything starts. `npm run operate -- archive` lists, verifies and restores.
import { createServer } from 'node:http'
import { listArchiveParts } from '@payment-tracking/store/ingest'
import { openStore } from '@payment-tracking/store/core'
import { listen, startService, useEnvironment } from '@payment-tracking/testkit'
import t from 'tap'
import { openArchiveFiles } from '../../src/archive/open-archive-files.js'
import { openArchive, paidIn, stoppingAfter, take } from './open-archive.js'
import { openS3 } from './open-s3.js'

const EVENTS = paidIn(Array.from({ length: 20 }, (_, at) => 100 + at * 50_000))

t.setTimeout(300_000)

t.test('a file is read as it was written', async t => {
  const { location, env } = await openS3(t)
  const files = await openArchiveFiles(location, env)
  t.equal(await files.check(), true)
  // A part of the most bytes, as if nothing of it could be compressed.
  const bytes = Buffer.alloc(16 * 1024 * 1024, 'payments')
  await files.write('production/2026-03/1-0123456789abcdef.ndjson.gz', bytes)
  t.ok((await files.read('production/2026-03/1-0123456789abcdef.ndjson.gz')).equals(bytes))
  await t.rejects(files.read('production/2026-03/2-none'), {
    code: 'ARCHIVE_UNUSABLE',
    message: /2-none is not below EVENTS_ARCHIVE \(s3:\/\/payments\/old months\): bring it back/,
  })
})

t.test('what cannot work is said in a line before anything starts', async t => {
  const { location, env } = await openS3(t)
  const { settings, database } = await useEnvironment(t)
  const refused = async (changed: Record<string, string>) => {
    const service = await startService(
      t,
      'ingest',
      { ...settings, ...env, EVENTS_RETENTION_MONTHS: '3', EVENTS_ARCHIVE: location, ...changed },
      { waitUntilReady: false },
    )
    t.equal(await service.exited, 1)
    return service.output
  }
  const files = await openArchiveFiles(location, env)
  const store = openStore({ DATABASE_URL: settings.DATABASE_URL })
  t.teardown(() => store.close())
  await take(store, database.pool, EVENTS)
  const stop = new AbortController()
  const archive = await openArchive(t, store)
  await archive.run({ files, months: 0, store: stoppingAfter(store, 1, stop) }, stop.signal)
  const [part] = await listArchiveParts(store)
  await files.write(part!.file, Buffer.from('changed'))
  t.match(
    await refused({}),
    new RegExp(
      `${part!.file} below EVENTS_ARCHIVE is not as it was written .SHA-256 differs.: bring it back`,
    ),
  )
  t.match(await refused({ AWS_ACCESS_KEY_ID: '' }), /and AWS_ACCESS_KEY_ID is not set: set it/)
  t.match(
    await refused({ AWS_ACCESS_KEY_ID: 'else' }),
    /EVENTS_ARCHIVE names s3:\/\/payments\/old months, which cannot be used \(.+\): .*AWS_ACCESS_KEY_ID.*correct/,
  )
  t.match(await refused({ AWS_SECRET_ACCESS_KEY: 'else' }), /AWS_SECRET_ACCESS_KEY is not that of/)
  const noBucket = await refused({ EVENTS_ARCHIVE: 's3://elsewhere' })
  t.match(noBucket, /\(NoSuchBucket\): there is no such bucket: make it/)
  const noAnswer = await refused({ AWS_ENDPOINT_URL: 'http://127.0.0.1:1' })
  t.match(noAnswer, /\(.*\): http:\/\/127.0.0.1:1 does not answer: correct AWS_ENDPOINT_URL/)
  t.match(await refused({ AWS_ENDPOINT_URL: 'store' }), /AWS_ENDPOINT_URL is no address/)
  t.match(await refused({ AWS_SESSION_TOKEN: 'x' }), /AWS_SESSION_TOKEN is set: EVENTS_ARCHIVE needs a key/)
})

t.test('what a store refuses is said with its cure; one that is away is asked again', async t => {
  const { location, env } = await openS3(t)
  const asked: string[] = []
  let answer = { status: 503, code: 'SlowDown' }
  const server = createServer((request, response) => {
    asked.push(request.method!)
    request.resume().once('end', () => {
      const { status, code } = answer
      response.writeHead(status, { 'content-type': 'application/xml', connection: 'close' })
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>m</Message></Error>`)
    })
  })
  const address = `http://127.0.0.1:${await listen(t, server)}`
  const files = await openArchiveFiles(location, { ...env, AWS_ENDPOINT_URL: address })
  t.equal(await files.check(), false, 'ingest starts without it')
  asked.length = 0
  await t.rejects(files.write('a', Buffer.from('a')), { code: 'ARCHIVE_UNUSABLE', message: /status 503/ })
  t.equal(asked.length, 3)
  const rights = 'give the key of AWS_ACCESS_KEY_ID the rights to put and to get objects there'
  // A store does not tell a key without the right to look whether an object is there.
  const lost = '; if it has them, a is not there: bring it back from a copy'
  for (const [code, status, cure, orLost] of [
    ['AccessDenied', 403, rights, lost],
    ['AuthorizationHeaderMalformed', 400, 'set AWS_REGION to the region of the bucket', ''],
  ] as const) {
    answer = { status, code }
    await t.rejects(files.check(), { code: 'ARCHIVE_UNUSABLE', message: `(${code}): ${cure}` })
    await t.rejects(files.read('a'), { message: `(${code}): ${cure}${orLost}` })
  }
})
