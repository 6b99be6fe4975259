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
import { startService, waitFor, type TestContext } from '@payment-tracking/testkit'
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
