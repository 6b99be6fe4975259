// The indexer as its image holds it, with the environment that docker-compose.yml gives it. `npm run test:containers`
// builds the images themselves.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { emitEvent, openSimulatedNode, SimulatedChain } from '@payment-tracking/simulator'
import { buildAddress, startService, useNats, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { parse } from 'yaml'

t.setTimeout(110_000)

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

interface Compose {
  services: { indexer: { profiles: string[]; environment: Record<string, string> } }
}
const compose = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as Compose

/** Replaces `${NAME:-default}` and `${NAME:?message}` as Docker Compose does. */
const resolve = (text: string, given: Record<string, string>): string =>
  text.replaceAll(
    /\$\{(\w+)(?::[-?]([^}]*))?\}/g,
    (_, name: string, fallback = '') => given[name] ?? fallback,
  )

t.test('the files of the image and the environment of compose follow a chain', async t => {
  const { profiles, environment } = compose.services.indexer
  t.same(profiles, ['chain'], 'it runs only with its profile')
  const folder = t.testdir()
  execFileSync(process.execPath, [join(ROOT, 'scripts/assemble-images.mjs'), folder, 'indexer'])
  const chain = new SimulatedChain({ programs: ['TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ'] })
  const node = await openSimulatedNode(chain)
  t.teardown(() => node.close())
  const nats = await useNats(t)
  const given = {
    STREAM_NAME: nats.stream,
    SUBJECT_PREFIX: nats.subjectPrefix,
    SOLANA_RPC_URLS: node.url,
    NATS_INDEXER_PASSWORD: 'not used: NATS_URL is replaced',
  }
  const env = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, resolve(String(value), given)]),
  )
  const indexer = await startService(
    t,
    'indexer',
    { ...env, NATS_URL: nats.url },
    { root: join(folder, 'indexer') },
  )
  t.teardown(async () => {
    const bucket = await nats.connection.jetstream().views.kv(`INDEXER_${nats.stream}`)
    await bucket.destroy()
  })
  chain.advance()
  chain.execute([
    emitEvent('TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ', 'EmergencyPauseChanged', {
      admin: buildAddress('admin'),
      was_paused: false,
      is_paused: true,
    }),
  ])
  chain.finalize()
  const manager = await nats.connection.jetstreamManager()
  const subjects = async () => {
    const info = await manager.streams.info(nats.stream, { subjects_filter: '>' })
    return Object.keys(info.state.subjects ?? {})
  }
  await waitFor(async () => (await subjects()).some(subject => subject.endsWith('EmergencyPauseChanged')), {
    what: 'the event',
  })
  t.equal(await indexer.stop(), 0)
})
