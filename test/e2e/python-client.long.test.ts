// The wheel of the Python client in an empty environment, and the lines of its README, run against services.
import { execFileSync, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { signDelivery } from '@payment-tracking/domain'
import { readTrustedProxies } from '@payment-tracking/runtime'
import { openEdge } from '@payment-tracking/stack'
import {
  openProxy,
  openReceiver,
  startService,
  waitFor,
  type ProxyAnswer,
  type TestContext,
} from '@payment-tracking/testkit'
import t from 'tap'
import { usePods } from '../../services/realtime/test/use-pods.js'

t.setTimeout(300_000)
const PACKAGE = fileURLToPath(new URL('../../packages/python-client', import.meta.url))

function findPython(): string | undefined {
  return ['python3.13', 'python3.12', 'python3.11', 'python3'].find(name => {
    try {
      execFileSync(name, ['-c', 'import sys, venv; sys.exit(sys.version_info < (3, 11))'], {
        stdio: 'ignore',
      })
      return true
    } catch {
      return false
    }
  })
}

interface Environment {
  python: string
  /** @returns whether pip could install it */
  install(...what: string[]): boolean
}

/** An empty virtual environment; undefined where there is no Python 3.11. */
async function makeEnvironment(t: TestContext): Promise<Environment | undefined> {
  const found = findPython()
  if (!found) return undefined
  const folder = await mkdtemp(join(tmpdir(), 'payment-tracking-python-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  try {
    execFileSync(found, ['-m', 'venv', folder], { stdio: 'ignore' })
  } catch {
    // Debian's Python without python3-venv.
    return undefined
  }
  const python = join(folder, 'bin/python')
  if (!existsSync(python)) return undefined
  return {
    python,
    install: (...what) => {
      const args = ['-m', 'pip', 'install', '--quiet', '--retries', '0', '--timeout', '5', ...what]
      try {
        execFileSync(python, args, { stdio: 'ignore', timeout: 120_000 })
        return true
      } catch {
        return false
      }
    },
  }
}

/** Runs a program until it ends or the test does. */
function runPython(t: TestContext, python: string, program: string) {
  const child = spawn(python, ['-u', '-c', program], { stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { lines: [] as string[], errors: '' }
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = (text + chunk.toString()).split('\n')
    text = lines.pop()!
    output.lines.push(...lines)
  })
  child.stderr.on('data', (chunk: Buffer) => (output.errors += chunk.toString()))
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { output, ended }
}

const jwk = { ...generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }), kid: 'test' }

t.test('the wheel installs, and the lines of its README run', async t => {
  const environment = await makeEnvironment(t)
  if (!environment) return t.pass('skipped', { skip: 'there is no Python 3.11 with venv on this machine' })
  const { python } = environment
  execFileSync(process.execPath, [join(PACKAGE, 'scripts/generate.mjs')])
  if (!environment.install(PACKAGE))
    return t.pass('skipped', { skip: 'pip reaches no index with hatchling, httpx and httpx-sse from here' })

  const readme = await readFile(join(PACKAGE, 'README.md'), 'utf8')
  const [watching, receiving] = [...readme.matchAll(/```python\n([^]*?)```/g)].map(([, code]) => code!)
  const pods = await usePods(t)
  const start = async () => Number(new URL((await pods.start()).url).port)
  const [first, api] = await Promise.all([
    pods.start(),
    startService(t, 'api', { ...pods.env, JWT_PRIVATE_KEYS: JSON.stringify([jwk]) }),
  ])
  const { address } = (await api.waitForLog('http.listening')) as unknown as { address: string }
  let realtime = [Number(new URL(first.url).port)]
  const edge = await openEdge({
    host: '127.0.0.1',
    port: 0,
    trustedProxies: readTrustedProxies('off'),
    portsOf: service => ({ api: [Number(new URL(address).port)], realtime, console: [] })[service],
  })
  t.teardown(() => edge.close())
  const at = (program: string) => program.replace('http://127.0.0.1:3002', edge.url)

  const { output } = runPython(t, python, at(watching!))
  const paid: string[] = []
  const pay = async (count: number) => {
    for (const seq of await pods.pay({ trackingId: 'coffee-42', count })) paid.push(`${seq} 1000`)
    const heard = () => output.lines.slice(1).map(line => line.split(' ').slice(0, 2).join(' '))
    await waitFor(() => heard().length >= paid.length, { what: 'the payments', timeoutMs: 60_000 }).catch(
      (error: Error) => {
        throw new Error(`${error.message}\n${output.errors}`)
      },
    )
    t.strictSame(heard(), paid)
  }
  await waitFor(() => output.lines.length > 0, {
    what: `the count of events\n${output.errors}`,
    timeoutMs: 60_000,
  })
  t.match(output.lines[0], /^\d+ events$/)
  await pay(3)
  await first.service.stop('SIGKILL')
  realtime = [await start()]
  await pay(150)

  const program = `
from payment_tracking import ApiError, Client
with Client("${edge.url}") as client:
    try:
        client.list_webhooks()
    except ApiError as error:
        print(error.status, error.code)
    for event in client.watch_payments("coffee-42", since=151):
        print(event.kind, event.data["seq"])
        if event.data["seq"] == 153:
            break
    print(client.count_events(event_name="PaymentRecord")["count"])
    print(len(client.list_payments(limit=7)))
    try:
        next(client.watch_payments(""))
    except ValueError as error:
        print("400" in str(error))
`
  const rest = runPython(t, python, program)
  t.equal(await rest.ended, 0, rest.output.errors)
  t.strictSame(rest.output.lines, ['401 UNAUTHORIZED', 'payment 152', 'payment 153', '0', '7', 'True'])

  await t.test('one answer of a proxy ended a watch, or made it sleep for hours', async t => {
    const proxy = await openProxy(t, edge.url, '/pay')
    const html = { 'content-type': 'text/html' }
    const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toUTCString()
    const cases: [string, () => ProxyAnswer][] = [
      ['no pods', () => ({ status: 404, headers: html, body: '<h1>Not found</h1>' })],
      ['slow', () => ({ status: 408, headers: html })],
      ['a challenge', () => ({ status: 403, headers: html })],
      ['sign in', () => ({ status: 401, headers: html })],
      ['a page', () => ({ status: 200, headers: html, body: '<form>' })],
      ['early', () => ({ status: 425 })],
      ['broken', () => ({ status: 502, headers: { 'content-encoding': 'gzip' }, body: 'no gzip' })],
      ['JSON', () => ({ status: 404, body: '{"code":"NOT_FOUND","error":"Not Found"}' })],
      [
        'moved',
        () => ({ status: 308, headers: { location: '/pay/v1/payments/stream?trackingId=moved&since=0' } }),
      ],
      ['in circles', () => ({ status: 302, headers: { location: '/pay/circle' } })],
      ['a day', () => ({ status: 503, headers: { 'retry-after': '86400' } })],
      ['a day as a date', () => ({ status: 503, headers: { 'retry-after': inSeconds(86_400) } })],
      ['a year ago', () => ({ status: 503, headers: { 'retry-after': inSeconds(-31_536_000) } })],
      ['no date', () => ({ status: 503, headers: { 'retry-after': '²' } })],
      ['soon', () => ({ status: 503, headers: { 'retry-after': inSeconds(5), date: inSeconds(0) } })],
      [
        'a wrong clock',
        () => ({ status: 503, headers: { 'retry-after': inSeconds(3_605), date: inSeconds(3_600) } }),
      ],
    ]
    // The first request of each is answered by the proxy.
    const answered = new Set<string>()
    proxy.answer(asked => {
      if (asked.endsWith('/pay/circle')) return { status: 302, headers: { location: '/pay/circle' } }
      const name = new URL(asked.split(' ')[1]!, proxy.url).searchParams.get('trackingId')
      const found = cases.find(([each]) => each === name)
      if (!found || answered.has(found[0])) return undefined
      answered.add(found[0])
      return found[1]()
    })
    for (const trackingId of [...cases.map(([name]) => name), 'a\u2028b\u0085c\u2029d'])
      await pods.pay({ trackingId })
    const { output, ended } = runPython(
      t,
      python,
      `
import sys, threading, time
from payment_tracking import _watch, watch_payments
_watch.LONGEST_WAIT_SECONDS = 8
def watch(name):
    began = time.monotonic()
    event = next(watch_payments("${proxy.url}", name, since=0))
    seen = f"{event.kind} {event.data['seq']} {event.data['trackingId'] == name}"
    sys.stdout.write(f"{name} | {seen} | {time.monotonic() - began}\\n")
names = ${JSON.stringify(cases.map(([name]) => name))}
threads = [threading.Thread(target=watch, args=(name,)) for name in names]
for thread in threads: thread.start()
for thread in threads: thread.join()
watch("a\\u2028b\\x85c\\u2029d")
`,
    )
    t.equal(await ended, 0, output.errors)
    const seconds = new Map(output.lines.map(line => [line.split(' | ')[0], Number(line.split(' | ')[2])]))
    const printed = output.lines.map(line => line.split(' | ')[1])
    t.strictSame(
      printed,
      Array.from({ length: cases.length + 1 }, () => 'payment 1 True'),
    )
    // How long the client asked to wait, not how long the machine took.
    for (const [name, least] of [
      ['a day', 8],
      ['a day as a date', 8],
      ['soon', 4],
      ['a wrong clock', 5],
    ] as const)
      t.ok(seconds.get(name)! >= least, `${name}: ${seconds.get(name)} s`)
  })

  await t.test('REST names what a proxy answered; a long poll may outlast the time-out', async t => {
    const receiver = await openReceiver(t)
    receiver.answer(({ path }) => {
      const json = { 'content-type': 'application/json' }
      if (path.includes('/feed'))
        return { status: 200, headers: json, body: '{"items":[],"next":"n"}', delayMs: 2_000 }
      if (path.startsWith('/moved'))
        return { status: 308, headers: { location: `${edge.url}${path.slice(6)}` } }
      return { status: 200, headers: { 'content-type': 'text/html' }, body: '<form>' }
    })
    const { output, ended } = runPython(
      t,
      python,
      `
from payment_tracking import ApiError, Client
BASE = "${receiver.url}"
with Client(BASE, timeout=1) as client:
    print(client.read_feed("G", wait=25)["next"])
    try:
        client.count_events()
    except ApiError as error:
        print(error.status, error)
with Client(BASE + "moved") as client:
    print(client.count_events()["count"] >= 0)
    try:
        client.create_webhook(body={})
    except ApiError as error:
        print(error.status, error)
`,
    )
    t.equal(await ended, 0, output.errors)
    t.match(output.lines, [
      'n',
      /^200 UNKNOWN: 200 OK of .*\/v1\/events\/count is no answer of the service$/,
      'True',
      /^308 UNKNOWN: 308 Permanent Redirect to .*\/v1\/webhooks of .*\/moved\/v1\/webhooks /,
    ])
  })

  await t.test('a webhook is verified', async t => {
    if (!environment.install('standardwebhooks>=1,<2'))
      return t.pass('skipped', { skip: 'pip reaches no index with standardwebhooks from here' })
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
    const body = JSON.stringify({ id: 'msg_1', type: 'payment.executed', timestamp: '', data: { amount: 1 } })
    const sentAt = Math.floor(Date.now() / 1_000)
    const headers = signDelivery({ id: 'msg_1', sentAt, body }, [secret])
    const receive = `SECRET = ${JSON.stringify(secret)}
${receiving}
headers = ${JSON.stringify(headers)}
receive(headers, ${JSON.stringify(body)}.encode())
try:
    receive(headers, ${JSON.stringify(`${body} `)}.encode())
except Exception as error:
    print(type(error).__name__)
`
    const verified = runPython(t, python, receive)
    t.equal(await verified.ended, 0, verified.output.errors)
    t.strictSame(verified.output.lines, ["payment.executed {'amount': 1}", 'WebhookVerificationError'])
  })
})
