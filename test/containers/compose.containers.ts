// docker-compose.yml as it stands, with the images that infra/docker/Dockerfile makes: everything that a deployment
// promises, from the first event to an upgrade under traffic.
import { SERVICES } from '@payment-tracking/stack'
import {
  openPublisher,
  readExpectedAnswers,
  readFixtureMessages,
  waitFor,
  type TestContext,
} from '@payment-tracking/testkit'
import { io, type Socket } from 'socket.io-client'
import t from 'tap'
import { everybodyKnows, openEndpoint, readOn, watchAll } from '../upgrade/audience.js'
import { buildMarket } from '../upgrade/market.js'
import { deploy, userOf } from './deployment.js'
import { IMAGES, imageName } from './images.js'
import { run } from './machine.js'
import { makeRelease } from './releases.js'

/** People behind one TLS proxy; one address may have 200 connections. */
const PEOPLE = 260
const MAX_NODE_MODULES_MB = 90
/** The indexer runs with the profile `chain` alone: it needs nodes of a chain. */
const RUNNING = SERVICES.filter(name => name !== 'indexer')

t.test('images hold what runs and nothing else', async t => {
  for (const image of IMAGES) {
    const script =
      'du -sm node_modules 2>/dev/null | cut -f1; command -v npm yarn corepack; node --version; id -u'
    const said = await run('podman', ['run', '--rm', '--entrypoint', 'sh', imageName(image), '-c', script])
    const lines = said.trim().split('\n')
    const megabytes = lines.length === 3 ? Number(lines.shift()) : 0
    t.ok(megabytes <= MAX_NODE_MODULES_MB, `${image}: ${megabytes} MB of node_modules`)
    t.match(lines[0], /^v24\./, `${image} runs Node.js 24, and there is no package manager beside it`)
    t.equal(lines[1], '1000', `${image} is not root`)
  }
})

t.test('the compose file, unedited', { timeout: 900_000 }, async t => {
  await Promise.all([makeRelease('good'), makeRelease('failing')])
  const startedAt = Date.now()
  const deployment = await deploy(t, {
    RATE_LIMIT_MAX: '1000000',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    DRAIN_WINDOW_MS: '2000',
    MAX_CONNECTIONS_PER_TRACKING_ID: '1000',
  })
  t.comment(`up and healthy after ${((Date.now() - startedAt) / 1_000).toFixed(1)} s`)
  const { baseUrl, natsUrl } = deployment
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(baseUrl + path, { headers })
    return { status: response.status, headers: response.headers, body: (await response.json()) as unknown }
  }

  t.test('no process of any container is root', async t => {
    for (const service of ['postgres', 'redis', 'nats', 'edge', ...RUNNING])
      for (const container of await deployment.containersOf(service))
        t.not(await userOf(container), 0, service)
  })

  t.test('fixtures go in by NATS and come out by REST', async t => {
    const expected = await readExpectedAnswers()
    const publisher = await openPublisher({ NATS_URL: natsUrl })
    t.teardown(() => publisher.close())
    const messages = await readFixtureMessages()
    await publisher.publishAll(
      (async function* () {
        yield* messages
      })(),
    )
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

  t.test('ops opens with its token and shows what was refused', async t => {
    t.equal((await fetch(`${deployment.opsUrl}/`, { redirect: 'manual' })).status < 400, true)
    const ready = await fetch(`${deployment.opsUrl}/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: deployment.opsUrl },
      body: new URLSearchParams({ token: deployment.opsToken }).toString(),
    })
    t.ok(ready.headers.get('set-cookie'), `a session (${ready.status})`)
  })

  t.test(`${PEOPLE} people behind one TLS proxy are all admitted`, t => admitPeople(t, baseUrl))

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
    const watch = watchAll('socket', baseUrl, market, complaints)
    t.teardown(() => watch.close())
    const stopReading = readOn('rest', baseUrl, market, complaints)
    const pause = watchForPauses(baseUrl)
    t.teardown(() => pause.stop())
    market.open()
    await everybodyKnows('before', market, receiver, [watch])

    await t.rejects(deployment.upgrade('failing'), /migration failed/, 'a failing migration ends the upgrade')
    await everybodyKnows('after a failed migration', market, receiver, [watch])
    const failing = pause.longestMs()
    t.ok(failing <= 1_000, `the running release goes on: answers after ${failing} ms at most`)

    const before = await deployment.containersOf('api')
    const upgrading = Date.now()
    const resolve = ['packages/store/dist/service.js', '--rolled-back', '29990101000000_failing']
    await deployment.compose('run', '--rm', '--no-deps', 'migrate', ...resolve)
    t.comment(await deployment.upgrade('good'))
    await everybodyKnows('after the upgrade', market, receiver, [watch])
    const good = pause.longestMs()
    t.comment(
      `upgraded in ${((Date.now() - upgrading) / 1_000).toFixed(1)} s; longest wait for an answer ${good} ms`,
    )
    t.ok(good <= 1_000, `answers after ${good} ms at most`)
    const after = await deployment.containersOf('api')
    t.equal(after.length, before.length, 'as many api containers as before')
    t.notOk(
      after.some(container => before.includes(container)),
      'all of them new',
    )
    await stopReading()
    t.strictSame(complaints, [], 'nobody was refused anything')

    for (const server of ['redis', 'nats', 'postgres']) {
      await deployment.compose('restart', server)
      await waitFor(async () => (await ask('/v1/events/count')).status === 200, {
        what: `answers after a restart of ${server}`,
      })
      const wanted = market.payments.length + 10
      await waitFor(() => market.payments.length >= wanted, { what: 'payments' })
      await everybodyKnows(`after a restart of ${server}`, market, receiver, [watch])
    }
    await market.close()
  })

  t.test('everything stops in its grace period', async t => {
    const containers = await Promise.all(
      RUNNING.map(async service => [service, await deployment.containersOf(service)] as const),
    )
    const startedAt = Date.now()
    await deployment.compose('stop', ...RUNNING)
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

/** Each connects with an address of its own in x-forwarded-for, as a TLS proxy writes it. */
async function admitPeople(t: TestContext & Pick<typeof import('tap').t, 'equal'>, baseUrl: string) {
  const sockets: Socket[] = []
  t.teardown(() => sockets.forEach(socket => socket.close()))
  const refusals: unknown[] = []
  const admitted = Array.from({ length: PEOPLE }, (_, person) => {
    const socket = io(baseUrl, {
      path: '/ws/v1',
      transports: ['websocket'],
      forceNew: true,
      extraHeaders: { 'x-forwarded-for': `198.51.${person >> 8}.${person & 255}` },
    })
    sockets.push(socket)
    socket.on('error', (message: unknown) => refusals.push(message))
    return new Promise<boolean>(resolve =>
      socket.on('connect', () =>
        socket.emit('subscribe', { trackingId: `behind-a-proxy-${person % 20}` }, (answer: { ok: boolean }) =>
          resolve(answer.ok),
        ),
      ),
    )
  })
  const answers = await Promise.all(admitted)
  t.equal(answers.filter(Boolean).length, PEOPLE, 'all subscribed')
  t.equal(refusals.length, 0, 'none was refused')
}

/** Asks all the time, several at once. @returns the longest that anybody waited for an answer since it was last asked */
function watchForPauses(baseUrl: string) {
  let longest = 0
  let stopped = false
  const ask = async () => {
    while (!stopped) {
      const startedAt = Date.now()
      const answer = await fetch(`${baseUrl}/v1/events?limit=1`).then(
        response => response.ok,
        () => false,
      )
      longest = Math.max(longest, answer ? Date.now() - startedAt : 60_000)
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }
  const asking = Promise.all([ask(), ask()])
  return {
    longestMs: () => {
      const result = longest
      longest = 0
      return result
    },
    stop: async () => {
      stopped = true
      await asking
    },
  }
}
