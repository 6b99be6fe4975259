import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { identify, isAlive } from '@payment-tracking/stack'
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'

const FOLLOW_NPM = fileURLToPath(new URL('../dist/launcher/follow-npm.js', import.meta.url))

const SCRIPT = `
  import { followNpm } from '${FOLLOW_NPM}'
  setInterval(() => {}, 1_000)
  followNpm(process.env, () => { console.log('npm has ended'); process.exit() })
  console.log(process.pid)`

t.test('when npm is killed, its processes notice and stop', async t => {
  const root = t.testdir({
    'package.json': JSON.stringify({ scripts: { start: 'node start.mjs' } }),
    'start.mjs': SCRIPT,
  })
  // npm ends with SIGKILL before it can tell anybody.
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const npm = spawn('npm', ['start', '--silent'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
    t.teardown(() => npm.kill('SIGKILL'))
    const [line] = (await once(npm.stdout, 'data')) as [Buffer]
    const launcher = identify(Number(line.toString().trim()))
    t.teardown(() => isAlive(launcher) && process.kill(launcher.pid, 'SIGKILL'))
    t.ok(isAlive(launcher))
    npm.kill(signal)
    await waitFor(() => !isAlive(launcher), { what: `the end of what npm ran, after ${signal}` })
  }
})

t.test('a launcher started without npm goes on when its starter ends', async t => {
  const root = t.testdir({ 'start.mjs': SCRIPT })
  const { npm_lifecycle_event: _, ...env } = process.env
  const shell = spawn('sh', ['-c', 'node start.mjs & wait'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(shell.stdout, 'data')) as [Buffer]
  const launcher = identify(Number(line.toString().trim()))
  t.teardown(() => isAlive(launcher) && process.kill(launcher.pid, 'SIGKILL'))
  shell.kill('SIGKILL')
  await once(shell, 'exit')
  // Three times as long as it takes to notice the end of npm.
  await new Promise(resolve => setTimeout(resolve, 1_500))
  t.ok(isAlive(launcher))
})
