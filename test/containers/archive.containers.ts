// The image of ingest archives to an S3 store, with no right and no folder to write to. The image `migrate` verifies it.
import { controlSubjectOf, subjectOf } from '@payment-tracking/contracts'
import { buildJwtKeys, findFreePort } from '@payment-tracking/stack'
import { readFixtureMessages, startService, useEnvironment, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { monthsBefore } from '../../services/ingest/test/archive/open-archive.js'
import { openS3 } from '../../services/ingest/test/archive/open-s3.js'
import { imageName } from './images.js'
import { run } from './machine.js'

const KEPT_SINCE = new Date('2026-04-01T00:00:00Z')
/** As docker-compose.yml hardens it, and without its /tmp. */
const HARDENED = [
  '--read-only',
  '--read-only-tmpfs=false',
  '--cap-drop=all',
  '--security-opt=no-new-privileges',
]

t.test('old months go to S3 out of a container, and can be verified there', async t => {
  const [s3, { database, nats, settings }] = await Promise.all([openS3(t), useEnvironment(t)])
  const manager = await nats.connection.jetstreamManager()
  await manager.streams.add({ name: nats.stream, subjects: [`${nats.subjectPrefix}.>`] })
  for (const bytes of await readFixtureMessages())
    await nats.jetstream.publish(subjectOf(nats.subjectPrefix, 'x'), bytes)
  const finalized = Buffer.from('{"slot":9000000000000000}')
  await nats.jetstream.publish(controlSubjectOf(nats.subjectPrefix, 'finalized'), finalized)

  const variables = {
    ...settings,
    ...s3.env,
    EVENTS_ARCHIVE: s3.location,
    EVENTS_RETENTION_MONTHS: String(monthsBefore(KEPT_SINCE)),
    MANAGEMENT_PORT: String(await findFreePort()),
  }
  const environment = Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const options = ['--network=host', '--no-healthcheck', ...HARDENED, ...environment]
  const runImage = (how: '--detach' | '--rm', image: string, ...command: string[]) =>
    run('podman', ['run', how, ...options, imageName(image), ...command])
  const tunes = ['archiveEveryMs=100', 'archiveSettledSeconds=0'].flatMap(tune => ['--tune', tune])
  const id = (await runImage('--detach', 'ingest', 'services/ingest/dist/service.js', ...tunes)).trim()
  t.teardown(() => run('podman', ['rm', '--force', '--time', '5', id]))
  const archived = await waitFor(
    async () => {
      const { rows } = await database.pool.query<{ signature: string; month: string }>(
        `select signature, to_char(occurred_at at time zone 'UTC', 'YYYY-MM') as month
             from events where shrunk order by occurred_at limit 1`,
      )
      return rows[0]
    },
    { what: 'an archived event', timeoutMs: 60_000 },
  ).catch(async (cause: Error) => {
    throw new Error(await run('podman', ['logs', id]), { cause })
  })

  const api = await startService(t, 'api', { ...settings, PORT: '0', JWT_PRIVATE_KEYS: buildJwtKeys() })
  const { address } = (await api.waitForLog('http.listening')) as unknown as { address: string }
  const answer = await fetch(`${address}/v1/events?signature=${archived.signature}`)
  t.equal(answer.status, 410)
  t.match(await answer.json(), { code: 'ARCHIVED', archivedMonth: archived.month })
  await run('podman', ['stop', id])
  t.match(
    await runImage('--rm', 'migrate', 'services/ingest/dist/archive.js', 'verify'),
    / 0 of them wrong$/m,
  )
})
