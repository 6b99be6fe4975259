// What a test file that is killed leaves behind: nothing that it started through the testkit goes on.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { discardDataDir, identify, isAlive, type ProcessIdentity } from '@payment-tracking/stack'
import { createDatabase, useRedis, waitFor, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'

/** Runs what a test file does until it has written a line. @returns the line, and how to kill the file */
async function runTestFile(
  t: TestContext,
  script: string,
  env: Record<string, string>,
): Promise<{ line: string; kill: () => unknown }> {
  const head = `
    import { startService, startStack } from '@payment-tracking/testkit'
    const t = { name: 'killed', teardown() {} }`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', head + script], {
    cwd: import.meta.dirname,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = () => child.kill('SIGKILL')
  t.teardown(kill)
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { line: line.toString().trim(), kill }
}

t.test('a service stops', async t => {
  const database = await createDatabase(t)
  const redis = await useRedis(t)
  const env = { DATABASE_URL: database.url, REDIS_URL: redis.url, PORT: '0', 'realtime.longestDrainMs': '0' }
  const script = `
    const { pid } = await startService(t, 'realtime', process.env)
    console.log(pid)`
  const { line, kill } = await runTestFile(t, script, env)
  const service = identify(Number(line))
  t.teardown(() => isAlive(service) && process.kill(service.pid, 'SIGKILL'))
  t.ok(isAlive(service))
  kill()
  await waitFor(() => !isAlive(service), { what: 'the end of the service' })
})

t.test('a stack stops, its servers too', async t => {
  const script = `
    const { pid, dataDir } = await startStack(t, {}, { waitUntilReady: false })
    console.log(pid + ' ' + dataDir)
    setInterval(() => {}, 1_000)`
  const { line, kill } = await runTestFile(t, script, {})
  const [pid, dataDir] = line.split(' ') as [string, string]
  const launcher = identify(Number(pid))
  t.teardown(async () => {
    if (isAlive(launcher)) process.kill(launcher.pid, 'SIGKILL')
    await waitFor(() => !isAlive(launcher))
    await discardDataDir(dataDir)
  })
  const states = join(dataDir, 'servers')
  const files = await waitFor(async () => {
    const found = (await readdir(states)).filter(file => file.endsWith('.json'))
    return found.length === 3 && found
  })
  const servers = await Promise.all(
    files.map(async file => JSON.parse(await readFile(join(states, file), 'utf8')) as ProcessIdentity),
  )
  t.ok(isAlive(launcher) && servers.every(isAlive))
  kill()
  await waitFor(() => !isAlive(launcher), { what: 'the end of the launcher' })
  t.same(servers.filter(isAlive), [])
})
