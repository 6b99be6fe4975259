// `npm run listen` and `npm run trigger`: every type of event arrives signed, and what was missed arrives later.
// In one process with others: a stack and a browser.
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { WEBHOOK_EVENT_TYPES } from '@payment-tracking/domain'
import { findFreePort } from '@payment-tracking/stack'
import { openReceiver, waitFor } from '@payment-tracking/testkit'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { ROOT, runScript } from './read-guide.js'
import { shareStack } from './share-stack.js'

const { baseUrl, dataDir } = await shareStack(t)
const env = { DATA_DIR: dataDir }
/** As `npm run` does it; npm itself, in guides.long.test.ts, would be half of the work. */
const run = (command: string) =>
  runScript(t, `exec node scripts/run.mjs ${command.replace(' -- ', ' ')}`, env)
const finish = async (command: string) => {
  const { exitCode, output } = run(command)
  await exitCode
  return output().trim()
}
await finish('gateway -- new')
const TRIGGER_EACH = `
  const { commands } = await import(process.argv[1])
  for (const type of process.argv.slice(2)) await commands.trigger([type], process.env)`
/** Most of what a command computes is its start, so these share one. */
const triggerEach = (types: readonly string[]) =>
  promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', TRIGGER_EACH, join(ROOT, 'infra/stack/dist/commands.js'), ...types],
    { env: { ...process.env, ...env } },
  )

t.test('listen runs the server that it forwards to, and ends it with itself', async t => {
  const port = await findFreePort()
  const file = join(mkdtempSync(join(tmpdir(), 'payment-tracking-server-')), 'server.mjs')
  writeFileSync(
    file,
    `import { createServer } from 'node:http'
    createServer((_, response) => response.end()).listen(process.env.PORT, () =>
      console.log('server', process.pid, process.env.PORT, process.env.WEBHOOK_SECRET))`,
  )
  const listening = runScript(
    t,
    `exec node scripts/run.mjs listen --forward http://127.0.0.1:${port}/hooks --run 'node ${file}'`,
    env,
  )
  const [, pid, secret] = await waitFor(
    () => new RegExp(`^server (\\d+) ${port} (whsec_\\S+)$`, 'm').exec(listening.output()),
    { what: 'the server' },
  )
  t.match(listening.output(), `secret   ${secret}`)
  // The stack is gone, as far as this data directory tells.
  renameSync(join(dataDir, 'stack.json'), join(dataDir, 'away.json'))
  t.equal(await listening.exitCode, 0)
  renameSync(join(dataDir, 'away.json'), join(dataDir, 'stack.json'))
  t.match(listening.output(), 'the service has ended, and so does this')
  await waitFor(
    () => {
      try {
        return !process.kill(Number(pid), 0)
      } catch {
        return true
      }
    },
    { what: 'the end of the server' },
  )
})

t.test('a command makes an API key', async t => {
  const key = await finish('gateway -- api-key --scopes webhooks:read')
  t.match(key, /^ptk_\S+$/)
  const headers = { authorization: `Bearer ${key}` }
  t.equal((await fetch(`${baseUrl}/v1/webhooks`, { headers })).status, 200)
  const all = await finish('gateway -- api-key')
  const created = await fetch(`${baseUrl}/v1/search?q=nothing-there`, {
    headers: { authorization: `Bearer ${all}` },
  })
  t.equal(created.status, 200)
})

t.test('every type of event is caused, and forwarded with a signature that holds', async t => {
  const receiver = await openReceiver(t)
  const secret = await finish('listen -- --print-secret')
  t.match(secret, /^whsec_/)
  const listening = run(`listen -- --forward ${receiver.url}hooks`)
  await waitFor(() => listening.output().includes('Ctrl-C ends it'), { what: 'the listener' })
  t.match(listening.output(), `secret   ${secret}`)
  const isCaused = (type: string) => !/^webhook\.|at_risk_cleared$/.test(type)
  const types = [...WEBHOOK_EVENT_TYPES.filter(isCaused), 'webhook.test']
  await finish(`trigger -- ${types[0]}`)
  await triggerEach(types.slice(1))
  const typesOf = () =>
    new Set(receiver.requests.map(({ body }) => (JSON.parse(body) as { type: string }).type))
  await waitFor(() => types.every(type => typesOf().has(type)), {
    what: 'all types',
    // Due dates are looked for every 15 s.
    timeoutMs: 90_000,
  }).catch(() => t.same([...typesOf()].sort(), [...types].sort()))
  for (const { body, headers } of receiver.requests)
    t.ok(new Webhook(secret).verify(body, headers as Record<string, string>))
  t.match(await finish('listen'), 'npm run listen runs already for this gateway')
  await waitFor(() => /payment\.executed trigger-\w+ 5000000\s+msg_\w+ → 200/.test(listening.output()))

  await finish(`pay -- --tracking-id "$(printf 'x\\033[31mred\\nnew line')" --amount 8`)
  await waitFor(() => / 8\s+msg_\w+ → 200/.test(listening.output()), { what: 'the memo of a stranger' })
  t.match(listening.output(), 'payment.executed x\\u{1b}[31mred\\u{a}new line 8', 'a memo gives no commands')
  const [port] = Object.values(
    JSON.parse(readFileSync(join(dataDir, 'listen.json'), 'utf8')) as Record<string, number>,
  )
  t.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 400, 'what is no delivery is refused')
  const data = { trackingId: { toString: 1 }, amountString: '\u001b[2J' }
  const page = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    body: JSON.stringify({ type: 'payment.executed', data }),
  })
  t.equal(page.status, 400, 'nor may a web page tell of payments')
  t.notMatch(listening.output(), '\u001b[2J')
  await finish('pay -- --tracking-id after --amount 9')
  await waitFor(() => / after 9\s+msg_\w+ → 200/.test(listening.output()), { what: 'the living listener' })
  listening.end()
  await listening.exitCode
})

t.test('a delivery without an answer is tried again; what was missed comes at the next start', async t => {
  const nobody = run(`listen -- --forward http://127.0.0.1:${await findFreePort()}/hooks`)
  await waitFor(() => nobody.output().includes('Ctrl-C ends it'), { what: 'the listener' })
  await finish('pay -- --tracking-id order-7 --amount 1')
  await waitFor(
    () => (nobody.output().match(/order-7 1\s+msg_\w+ .*gave no answer: ECONNREFUSED/g)?.length ?? 0) === 4,
    {
      what: 'all four attempts',
    },
  )
  nobody.end()
  await nobody.exitCode
  const receiver = await openReceiver(t)
  const again = run(`listen -- --forward ${receiver.url}`)
  await waitFor(() => receiver.requests.some(({ body }) => body.includes('order-7')), { what: 'order-7' })
  await waitFor(() => /\d+ missed deliver\w+ comes? again/.test(again.output()), {
    what: 'the line of the missed ones',
  })
})

const HAS_TERMINAL = spawnSync('script', ['--version']).status === 0

t.test(
  'the demo has colours on a terminal alone, symbols, and says how to stop',
  { skip: !HAS_TERMINAL && 'needs script of util-linux' },
  async t => {
    // What says "no colours" where these tests run must not reach the demo.
    const colourful = { TERM: 'xterm-256color', CI: undefined, NO_COLOR: undefined }
    const play = (options: string, settings: Record<string, string> = {}) => {
      const command = `exec node scripts/run.mjs demo ${options} --pace 50`
      const onTerminal = `script --quiet --return --command '${command}' /dev/null`
      return runScript(t, onTerminal, { ...env, ...colourful, ...settings })
    }
    const coloured = play('--count 2')
    t.equal(await coloured.exitCode, 0, coloured.output())
    t.match(coloured.output(), '\u001b[32m', 'green')
    t.match(coloured.output(), /\d\.\d\d USDC/)
    t.match(coloured.output(), `see it live     ${baseUrl}/console/payments`)
    const plain = play('--count 1', { NO_COLOR: '1' })
    t.equal(await plain.exitCode, 0)
    t.notMatch(plain.output(), '\u001b[3')
    const endless = play('')
    await waitFor(() => endless.output().includes('merchant'), { what: 'the payments behind the order' })
    t.match(endless.output(), /Ctrl-C ends the demo; npm start goes on\.[^]*amount +tracking ID +merchant/)
    endless.end()
  },
)

t.test('faulty arguments are named', async t => {
  const noType = await finish('trigger -- payment.made')
  t.match(noType, /"payment\.made" is no type of event[^]*payment\.executed\n/)
  t.match(await finish('trigger'), /a type of event is missing[^]*payment\.executed\n/)
  t.match(await finish('listen -- --forward 8080'), /--forward must be a URL such as/)
  t.match(await finish('listen -- --port 1'), /--port/)
})

t.test('the packed dev kit works in an empty folder', { timeout: 120_000 }, async t => {
  const folder = mkdtempSync(join(tmpdir(), 'payment-tracking-dev-kit-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const npm = (args: string[]) =>
    execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const [packed] = JSON.parse(npm(['pack', '--json', join(ROOT, 'infra/dev-kit')])) as [
    { filename: string; files: { path: string }[] },
  ]
  t.same(packed.files.map(({ path }) => path).sort(), [
    'README.md',
    'package.json',
    'payment-tracking-mcp.js',
    'payment-tracking.js',
  ])
  writeFileSync(join(folder, 'package.json'), '{}')
  npm(['install', '--no-audit', '--no-fund', '--offline', `./${packed.filename}`])
  const key = join(folder, 'key.json')
  const inFolder = { cwd: folder, env: { ...process.env, ...env } }
  const program = join(folder, 'node_modules/.bin/payment-tracking')
  const kit = (...args: string[]) =>
    execFileSync(program, [...args, '--key', key], { ...inFolder, encoding: 'utf8' }).trim()
  const npx = ['--no', 'payment-tracking', 'gateway', 'new', '--key', key]
  t.match(execFileSync('npx', npx, { ...inFolder, encoding: 'utf8' }), /gateway {4}\w+/)
  t.match(kit('sign-in'), /^ey[\w-]+\.[\w-]+\.[\w-]+$/)
  const receiver = await openReceiver(t)
  const listening = spawn(program, ['listen', '--forward', receiver.url, '--key', key], {
    ...inFolder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => listening.kill())
  let printed = ''
  listening.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  await waitFor(() => printed.includes('Ctrl-C ends it'), { what: 'the listener' })
  t.match(kit('pay', '--tracking-id', 'packed-1', '--amount', '7'), 'paid 7 for packed-1')
  t.match(kit('trigger', 'subscription.created'), 'caused subscription.created')
  await waitFor(() => receiver.requests.length === 2, { what: 'both deliveries' })
  const secret = /secret {3}(\S+)/.exec(printed)![1]!
  for (const { body, headers } of receiver.requests)
    t.ok(new Webhook(secret).verify(body, headers as Record<string, string>))
  t.match(kit('listen', '--help'), 'usage: npx payment-tracking listen')
})
