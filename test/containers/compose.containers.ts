// docker-compose.yml as it stands, with the images that infra/docker/Dockerfile makes: everything that a deployment
// promises, from the first event to an upgrade under traffic.
import { emitEvent, openSimulatedNode, SimulatedChain } from '@payment-tracking/simulator'
import { SERVICES } from '@payment-tracking/stack'
import {
  buildAddress,
  isQuick,
  openPublisher,
  readExpectedAnswers,
  readFixtureMessages,
  waitFor,
} from '@payment-tracking/testkit'
import t from 'tap'
import { everybodyKnows, openEndpoint, readOn, watchAll } from '../upgrade/audience.js'
import { buildMarket } from '../upgrade/market.js'
import { deploy, userOf } from './deployment.js'
import { IMAGES, imageName } from './images.js'
import { run } from './machine.js'
import { makeRelease } from './releases.js'
import { watchForPauses, type Pauses } from './visitors.js'

const MAX_NODE_MODULES_MB = 90
/**
 * During an upgrade: the longest time in which nobody is answered, beside what the machine makes a bare server wait. HAProxy may
 * try four removed containers for 0.5 s each.
 */
const MAX_GAP_MS = 2_500
/** An answer passes HAProxy, an api, and Postgres or Redis; each waits for the machine as long as a bare server does. */
const PROCESSES_OF_AN_ANSWER = 4
/**
 * The longest wait of one request. HAProxy gives up on a removed container after 0.5 s. A service asks a name server again
 * after 1 s, and without `dns_opt` after 5 s: a wait of 5 s shows that the setting is lost.
 */
const MAX_WAIT_MS = 4_500
const PROGRAM = 'TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ'

t.test('images hold what runs and nothing else', async t => {
  const plain = ['run', '--rm', '--no-healthcheck', '--network', 'none', '--entrypoint', 'sh']
  for (const image of IMAGES) {
    const script =
      'du -sm node_modules 2>/dev/null | cut -f1; command -v npm yarn corepack; node --version; id -u'
    const said = await run('podman', [...plain, imageName(image), '-c', script])
    const lines = said.trim().split('\n')
    const megabytes = lines.length === 3 ? Number(lines.shift()) : 0
    t.ok(megabytes <= MAX_NODE_MODULES_MB, `${image}: ${megabytes} MB of node_modules`)
    t.match(lines[0], /^v24\./, `${image} runs Node.js 24, and there is no package manager beside it`)
    t.equal(lines[1], '1000', `${image} is not root`)
  }
  const archive = ['services/ingest/dist/archive.js', '--help']
  t.match(await run('podman', ['run', '--rm', imageName('migrate'), ...archive]), /^usage: /m, 'the archive')
})

t.test('the compose file, unedited', async t => {
  await makeRelease('good')
  await makeRelease('failing')
  const startedAt = Date.now()
  const deployment = await deploy(t, {
    RATE_LIMIT_MAX: '1000000',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    REALTIME_STOP_DEADLINE_MS: '8000',
    MAX_CONNECTIONS_PER_TRACKING_ID: '1000',
  })
  t.comment(`up and healthy after ${((Date.now() - startedAt) / 1_000).toFixed(1)} s`)
  const { baseUrl, natsUrl } = deployment
  const ends: (() => unknown)[] = []
  t.teardown(() => Promise.all(ends.map(end => end())))
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(baseUrl + path, { headers })
    return { status: response.status, headers: response.headers, body: (await response.json()) as unknown }
  }

  t.test('fixtures go in by NATS and come out by REST', async t => {
    const expected = await readExpectedAnswers()
    const publisher = await openPublisher({ NATS_URL: natsUrl })
    t.teardown(() => publisher.close())
    await publisher.publishAll(await readFixtureMessages())
    await waitFor(
      async () => ((await ask('/v1/events/count')).body as { count: number }).count === expected.stored,
      {
        what: `${expected.stored} stored events`,
        timeoutMs: 60_000,
      },
    )
    t.strictSame((await ask('/v1/events/names')).body, expected.eventNames)
    const [paid] = expected.stats
    t.match((await ask(`/v1/events/payments/stats?gateway=${paid!.gateway}`)).body, { count: paid!.count })
    const [one] = expected.subscriptions
    t.match((await ask(`/v1/subscriptions?trackingId=${one!.query.trackingId}`)).body, { success: true })
  })

  t.test('the profile chain adds an indexer that follows a chain', async () => {
    const chain = new SimulatedChain({ programs: [PROGRAM] })
    const node = await openSimulatedNode(chain, 0, await deployment.hostAddress())
    // Until the end of the deployment: the indexer is upgraded and stopped with the others.
    ends.push(() => node.close())
    chain.advance()
    chain.finalize()
    deployment.set({ SOLANA_RPC_URLS: node.url, COMPOSE_PROFILES: 'chain' })
    await deployment.compose('up', '--no-build', '--detach', '--wait', '--wait-timeout', '120')
    const said = { admin: buildAddress('admin'), was_paused: false, is_paused: true }
    chain.execute([emitEvent(PROGRAM, 'EmergencyPauseChanged', said)])
    const count = async () => ((await ask('/v1/events/count')).body as { count: number }).count
    const before = await count()
    chain.finalize()
    await waitFor(async () => (await count()) === before + 1, {
      what: 'the event of the chain to be stored',
      timeoutMs: 60_000,
    })
  })

  t.test('no process of any container is root', async t => {
    for (const service of ['postgres', 'redis', 'nats', 'edge', ...SERVICES]) {
      const containers = await deployment.containersOf(service)
      t.ok(containers.length > 0, `${service} runs`)
      for (const container of containers) t.not(await userOf(container), 0, service)
    }
  })

  t.test('ops opens with its token and shows what was refused', async t => {
    const signedIn = await fetch(`${deployment.opsUrl}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: deployment.opsUrl },
      body: new URLSearchParams({ token: deployment.opsToken }).toString(),
    })
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0]
    t.ok(cookie, `a session (${signedIn.status})`)
    // A machine with ten processes for each core may need more than the 5 s that a connection to Postgres may take: 503.
    const page = await waitFor(
      async () => {
        const answer = await fetch(`${deployment.opsUrl}/`, { headers: { cookie: cookie ?? '' } })
        const body = await answer.text()
        if (answer.status !== 503) return { status: answer.status, body }
        t.comment(body)
        return undefined
      },
      { what: 'the overview of ops', timeoutMs: 60_000, intervalMs: 1_000 },
    )
    t.equal(page.status, 200)
    t.match(page.body, 'Dead letters')
  })

  t.test('payments, sockets, REST and webhooks go on through two upgrades', async t => {
    const complaints: string[] = []
    const market = await buildMarket(t, { NATS_URL: natsUrl })
    await waitFor(
      async () => (await ask(`/v1/subscriptions?trackingId=${market.policies.at(-1)!.trackingId}`)).body,
      {
        what: 'the market to be known',
      },
    )
    const receiver = await waitFor(
      async () => openEndpoint(t, baseUrl, market, await deployment.hostAddress()),
      { what: 'an endpoint' },
    )
    const showDeliveries = () =>
      deployment.query(
        `select state, defer_reason, attempts_made, last_error, count(*), min(created_at) as oldest, max(due_at) as due,
                max(claimed_until) as claimed, max(swept_at) as swept, max(finished_at - created_at)::text as longest, now()
           from deliveries group by 1, 2, 3, 4`,
      )
    const watch = watchAll('socket', baseUrl, market, complaints)
    t.teardown(() => watch.close())
    const stopReading = readOn('rest', baseUrl, market, complaints)
    // A test that fails must end as well.
    t.teardown(() => Promise.allSettled([stopReading(), market.close()]))
    const pause = await watchForPauses(baseUrl)
    t.teardown(() => pause.stop())
    market.open()
    await everybodyKnows('before', market, receiver, [watch], showDeliveries)

    await t.rejects(deployment.upgrade('failing'), /migration failed/, 'a failing migration ends the upgrade')
    await everybodyKnows('after a failed migration', market, receiver, [watch], showDeliveries)
    const noPause = ({ gapMs, bareGapMs, waitMs, refused }: Pauses, what: string) => {
      const byMachineMs = PROCESSES_OF_AN_ANSWER * bareGapMs
      const [maxGapMs, maxWaitMs] = [MAX_GAP_MS, MAX_WAIT_MS].map(ms => ms + byMachineMs)
      t.comment(`${what}: ${gapMs} ms without an answer (a bare server ${bareGapMs}), ${waitMs} ms for one`)
      isQuick(t, gapMs, maxGapMs!, `${what}: without an answer`)
      isQuick(t, waitMs, maxWaitMs!, `${what}: everybody is answered`)
      t.equal(refused, 0, `${what}: nobody is refused`)
    }
    noPause(pause.take(), 'the running release goes on after a failed migration')

    const before = await deployment.containersOf('api')
    const upgrading = Date.now()
    const resolve = ['packages/store/dist/migrate.js', '--rolled-back', '29990101000000_failing']
    await deployment.compose('run', '--rm', '--no-deps', 'migrate', ...resolve)
    t.comment(await deployment.upgrade('good'))
    await everybodyKnows('after the upgrade', market, receiver, [watch], showDeliveries)
    t.comment(`deliveries: ${await showDeliveries()}`)
    noPause(pause.take(), `an upgrade of ${((Date.now() - upgrading) / 1_000).toFixed(1)} s`)
    const after = await deployment.containersOf('api')
    t.equal(after.length, before.length, 'as many api containers as before')
    for (const container of after) t.notOk(before.includes(container), 'all of them new')
    await pause.stop()
    await stopReading()
    t.strictSame(complaints, [], 'nobody was refused anything')

    for (const server of ['redis', 'nats', 'postgres']) {
      await deployment.compose('restart', server)
      await waitFor(async () => (await ask('/v1/events/count')).status === 200, {
        what: `answers after a restart of ${server}`,
      })
      const wanted = market.payments.length + 10
      await waitFor(() => market.payments.length >= wanted, { what: 'payments' })
      await everybodyKnows(`after a restart of ${server}`, market, receiver, [watch], showDeliveries)
    }
    await market.close()
  })

  t.test('everything stops in its grace period', async t => {
    const containers = await Promise.all(
      SERVICES.map(async service => [service, await deployment.containersOf(service)] as const),
    )
    const startedAt = Date.now()
    await deployment.compose('stop', ...SERVICES)
    t.comment(`stopped in ${((Date.now() - startedAt) / 1_000).toFixed(1)} s`)
    for (const [service, ids] of containers)
      for (const id of ids)
        t.equal(
          (await run('podman', ['inspect', '--format', '{{.State.ExitCode}}', id])).trim(),
          '0',
          service,
        )
  })
})
