import { mkdtemp, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { discardDataDir, isAlive, readStackFile, type StackFile } from '@payment-tracking/stack'
import { startStack, waitFor } from '@payment-tracking/testkit'
import t from 'tap'

const processesOf = (stack: StackFile) => stack.services.map(({ process }) => process!)

/** What each service's readiness probe answers. */
const readyOf = async (stack: StackFile): Promise<number[]> =>
  Promise.all(
    stack.services.map(async ({ managementUrl }) => (await fetch(`${managementUrl}/readyz`)).status),
  )

t.test('from start to stop', async t => {
  // Not named like the directories of tests: another test file would delete it while its launcher is dead.
  const dataDir = await mkdtemp(join(tmpdir(), 'payment-tracking-launcher-'))
  t.teardown(() => discardDataDir(dataDir))
  const stack = await startStack(t, { SOLANA_API_KEY: 'a-secret-of-the-user' }, { dataDir })
  const running = stack.describe()

  await t.test('the launcher reports readiness when every readiness probe succeeds', async t => {
    const names = running.services.map(({ name }) => name)
    t.same(names, ['ingest', 'api', 'realtime-1', 'realtime-2', 'console', 'webhook-worker', 'ops'])
    t.same(new Set(await readyOf(running)), new Set([200]))
    t.equal((await fetch(`${running.baseUrl}/v1/health`)).status, 200)
    t.match(stack.output(), `ready ${running.baseUrl}`)
    t.match(stack.output(), /WEBHOOK_ALLOW_PRIVATE_TARGETS is on/)
    for (const { name, managementUrl } of running.services) {
      t.match(stack.output(), `${name} ${new URL(managementUrl!).host}`, 'where its readiness is asked')
    }
  })

  await t.test('only the owner may read the stored passwords, queues, streams and logs', async t => {
    const folders = ['redis', 'nats', 'logs', 'servers']
    for (const file of ['stack.json', 'servers.password', 'ops-token', 'jwt-keys.json', ...folders]) {
      t.equal((await stat(join(dataDir, file))).mode & 0o077, 0, file)
    }
  })

  await t.test('a second start in the same data directory is refused', async t => {
    const second = await startStack(t, {}, { dataDir, waitUntilReady: false })
    t.equal(await second.exited, 1)
    t.match(second.output(), /is in use by process \d+.*DATA_DIR/)
    t.ok(isAlive(processesOf(running)[0]!), 'the first goes on')
  })

  await t.test('a service that dies is started again and reported', async t => {
    const find = (name: string) => readStackFile(dataDir)?.services.find(service => service.name === name)
    for (const name of ['ingest', 'api', 'console']) {
      const before = find(name)!.process!
      process.kill(before.pid, 'SIGKILL')
      await waitFor(
        () => {
          const now = find(name)?.process
          return now && now.pid !== before.pid
        },
        { what: `another ${name}` },
      )
      t.match(stack.output(), `${name} ended (SIGKILL); starting it again`)
    }
    const response = await waitFor(
      async () => {
        const answer = await fetch(`${running.baseUrl}/v1/events/count`)
        return answer.ok && answer
      },
      { what: 'the API at its base URL' },
    )
    t.same(await response.json(), { count: 0 })
  })

  await t.test('the console serves its pages, and is told no secret and no server', async t => {
    const answer = await waitFor(async () => fetch(`${running.baseUrl}/console/payments`), { what: 'a page' })
    t.equal(answer.status, 200)
    t.match(await answer.text(), '<div id="root">')
    if (process.platform !== 'linux') return
    const environmentOf = (service: string) => {
      const { pid } = readStackFile(dataDir)!.services.find(({ name }) => name === service)!.process!
      return readFile(`/proc/${pid}/environ`, 'utf8')
    }
    t.match(await environmentOf('ingest'), 'a-secret-of-the-user')
    const environment = await environmentOf('console')
    t.match(environment, 'MANAGEMENT_PORT=')
    t.notMatch(environment, /a-secret-of-the-user|(DATABASE|REDIS|NATS)_URL=\S/)
    const { databaseUrl, redisUrl, natsUrl, opsToken } = running
    const passwords = [databaseUrl, redisUrl, natsUrl].map(url => new URL(url).password)
    for (const secret of [...passwords, opsToken]) t.notOk(environment.includes(secret), 'no secret')
  })

  await t.test('a private server that dies is started again, and the service goes on', async t => {
    for (const [name, title] of [
      ['redis', 'Redis'],
      ['postgres', 'Postgres'],
    ] as const) {
      const state = async () =>
        JSON.parse(await readFile(join(dataDir, 'servers', `${name}.json`), 'utf8')) as { pid: number }
      const before = await state()
      process.kill(before.pid, 'SIGKILL')
      await waitFor(() => stack.output().includes(`${title} runs again on port`), { what: `a new ${title}` })
      t.not((await state()).pid, before.pid)
    }
    await waitFor(async () => (await fetch(`${running.baseUrl}/v1/events/count`)).ok, { what: 'the API' })
    await waitFor(async () => (await readyOf(stack.describe())).every(status => status === 200), {
      what: 'every service',
    })
  })

  await t.test('Ctrl-C stops everything before the deadline, exits 0 and leaves nothing', async t => {
    const processes = processesOf(stack.describe())
    t.equal(await stack.stop('SIGINT'), 0, stack.output())
    t.same(processes.filter(isAlive), [])
    t.match(stack.output(), /stopping the services …\n[^]*stopping the servers …\n[^]*stopped/)
    t.equal(readStackFile(dataDir), undefined)
  })

  await t.test('when the launcher is killed its services stop, and the next start goes on', async t => {
    const killed = await startStack(t, {}, { dataDir })
    const processes = processesOf(killed.describe())
    await killed.stop('SIGKILL')
    await waitFor(() => !processes.some(isAlive), { what: 'the end of the services' })
    const next = await startStack(t, {}, { dataDir })
    t.match(next.output(), /Postgres was still running/)
    t.same(new Set(await readyOf(next.describe())), new Set([200]))

    await t.test('a second Ctrl-C does not wait for a service that hangs', async t => {
      const left = processesOf(next.describe())
      process.kill(left[0]!.pid, 'SIGSTOP')
      process.kill(next.pid, 'SIGINT')
      await waitFor(() => next.output().includes('stopping the services'))
      t.equal(await next.stop('SIGINT'), 130)
      await waitFor(() => !left.some(isAlive), { what: 'the end of the services' })
    })
  })
})
