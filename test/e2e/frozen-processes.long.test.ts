// A process that is frozen stops neither its neighbours nor the people who look: both the operators' page and the console say within
// 30 s that something is late, and since when.
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { buildChain, openReceiver, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openConsole } from '../console/open-console.js'
import { signIn } from '../chaos/load/receivers.js'
import { startStackWithPublisher } from './start-stack-with-publisher.js'

const TOKEN = 'a token of the frozen processes'
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
/** Promised to operators. */
const RED_WITHIN_MS = 30_000

const { id, baseUrl, stack, publish, database } = await startStackWithPublisher(t, 'frozen', {
  OPS_TOKEN: TOKEN,
  OPS_PORT: '0',
  RATE_LIMIT_MAX: '100000',
})
const chain = buildChain({ seed: id })
const gateway = await chain.openGateway('Frozen')
const payer = await chain.openUserPayment(USDC)
const policy = await chain.openPolicy(gateway, payer, { trackingId: `frozen-${id}`, amount: 1_500_000n })
const pay = () => publish(chain.pay(policy))
await publish(gateway.created, payer.created, policy.created, chain.pay(policy))
await waitFor(async () => (await fetch(`${baseUrl}/v1/onetime/frozen-${id}`)).ok)
const receiver = await openReceiver(t)
const token = await signIn(baseUrl, gateway)
const registered = await fetch(`${baseUrl}/v1/webhooks`, {
  method: 'POST',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: JSON.stringify({ gateway_pubkey: gateway.address, endpoint_url: receiver.url }),
})
t.equal(registered.status, 201)

const { page: visitor, go } = await openConsole(t, baseUrl, gateway.authority)
await go('/')
const operator = await visitor.context().newPage()
const opsUrl = stack.describe().opsUrl
await operator.goto(`${opsUrl}/sign-in`)
await operator.fill('input[name=token]', TOKEN)
await operator.click('button')
await operator.waitForURL(`${opsUrl}/`)

/** The process of a service, as it reports itself. */
async function pidOf(service: string): Promise<number> {
  const replica = await waitFor(async () => {
    const { rows } = await database.pool.query<{ replica: string }>(
      `select replica from processes where service = $1 order by seen_at desc limit 1`,
      [service],
    )
    return rows[0]?.replica
  })
  t.match(replica, `${hostname()}/`)
  return Number(replica.split('/').at(-1))
}

const redRow = (service: string) =>
  operator.locator('tr.past', { has: operator.locator(`td:text-is("${service}")`) })
const headline = visitor.locator('.verdict strong')

const delays = async () => {
  const { data } = (await (await fetch(`${baseUrl}/v1/health`)).json()) as {
    data: { delays: { payments: number; deliveries: number } }
  }
  return data.delays
}

const isStopped = (pid: number) => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))

t.test('nothing is red, and the console is live, while all works', { timeout: 60_000 }, async t => {
  await waitFor(async () => {
    const { payments, deliveries } = await delays()
    return payments < 5 && deliveries < 5
  })
  await operator.getByText(/All \d+ report\./).waitFor()
  await visitor.getByText('live', { exact: true }).waitFor()
  t.equal(await operator.locator('.past').count(), 0)
})

for (const [service, says] of [
  ['webhook-worker', /^Deliveries are late since \d/],
  ['ingest', /^Payments are delayed since \d/],
] as const)
  t.test(
    `a frozen ${service} is red for operators and merchants within 30 s`,
    { timeout: 120_000 },
    async t => {
      const pid = await pidOf(service)
      process.kill(pid, 'SIGSTOP')
      t.teardown(() => process.kill(pid, 'SIGCONT'))
      await waitFor(() => isStopped(pid))
      const frozenAt = performance.now()
      await pay()
      await Promise.all([
        redRow(service).waitFor({ timeout: RED_WITHIN_MS + 10_000 }),
        waitFor(async () => says.test((await headline.textContent()) ?? ''), {
          timeoutMs: RED_WITHIN_MS + 10_000,
          what: 'the headline',
        }),
      ])
      const ms = performance.now() - frozenAt
      t.ok(ms < RED_WITHIN_MS, `after ${Math.round(ms)} ms`)
      t.match(await redRow(service).textContent(), /silent: frozen, cut off or gone/)
      if (service === 'ingest') t.equal(await visitor.getByText('live', { exact: true }).count(), 0)
      process.kill(pid, 'SIGCONT')
      await redRow(service).waitFor({ state: 'detached', timeout: 30_000 })
      await waitFor(async () => !says.test((await headline.textContent()) ?? ''), { timeoutMs: 30_000 })
    },
  )

t.test('a killed process is red beside its successor, and one that ends properly is gone', async t => {
  const pid = await pidOf('webhook-worker')
  process.kill(pid, 'SIGKILL')
  await redRow('webhook-worker')
    .filter({ hasText: `/${pid}` })
    .waitFor({ timeout: 40_000 })
  const successor = await waitFor(async () => {
    const found = await pidOf('webhook-worker')
    return found === pid ? undefined : found
  })
  process.kill(successor, 'SIGTERM')
  await waitFor(
    async () =>
      (await database.pool.query(`select from processes where replica = $1`, [`${hostname()}/${successor}`]))
        .rowCount === 0,
  )
  t.pass('its row went with it')
})
