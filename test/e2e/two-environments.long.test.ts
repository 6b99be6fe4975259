// The whole system as `npm start` runs it, twice side by side: production and devnet, on one Postgres server
// and one NATS server, apart by their settings alone.
import { spawn } from 'node:child_process'
import { randomBytes, sign } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { readJson } from '@payment-tracking/domain'
import { buildJwtKeys } from '@payment-tracking/stack'
import {
  createDatabase,
  buildAddress,
  buildChain,
  openPublisher,
  readExpectedAnswers,
  startStack,
  useServers,
  waitFor,
  type StartedStack,
} from '@payment-tracking/testkit'
import bs58 from 'bs58'
import t from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FIXTURES = fileURLToPath(new URL('../fixtures/messages.jsonl', import.meta.url))

const id = randomBytes(4).toString('hex')
const { natsUrl } = await useServers(t)
const keys = buildJwtKeys()
const settingsOf = async (environment: string) => {
  return {
    ENVIRONMENT: environment,
    DATABASE_URL: (await createDatabase(t)).url,
    NATS_URL: natsUrl,
    STREAM_NAME: `E2E_${environment}_${id}`,
    SUBJECT_PREFIX: `e2e.${environment}.${id}`,
    RATE_LIMIT_MAX: '100000',
    // The same on purpose: what keeps tokens apart is their issuer.
    JWT_PRIVATE_KEYS: keys,
  }
}
const settings = {
  production: await settingsOf('production'),
  devnet: { ...(await settingsOf('devnet')), PROGRAM_ID: buildAddress('the program on devnet') },
}
const [production, devnet] = await Promise.all([
  startStack(t, settings.production),
  startStack(t, settings.devnet),
])

/** Runs one of the npm scripts against a stack. */
function runScript(stack: StartedStack, env: Record<string, string>, name: string, ...args: string[]) {
  const child = spawn(process.execPath, ['scripts/run.mjs', name, ...args], {
    cwd: ROOT,
    env: { ...process.env, ...env, DATA_DIR: stack.dataDir },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  }
  return new Promise<{ code: number | null; output: string }>(resolve =>
    child.once('close', code => resolve({ code, output })),
  )
}

// Integers beyond 2⁵³ come as bigint.
// oxlint-disable-next-line typescript/no-explicit-any
async function get(stack: StartedStack, path: string): Promise<any> {
  const response = await fetch(`${stack.describe().baseUrl}${path}`)
  return readJson(await response.text())
}

const countOf = async (stack: StartedStack) => (await get(stack, '/v1/events/count')).count as number

t.test('production answers its own payments, to the last digit', async t => {
  const expected = await readExpectedAnswers()
  const { code, output } = await runScript(production, settings.production, 'publish-events', FIXTURES)
  t.equal(code, 0, output)
  t.match(output, 'published 593 messages')
  await waitFor(async () => (await countOf(production)) === expected.stored, { what: 'every event' })

  t.same(await get(production, '/v1/events/names'), expected.eventNames)
  for (const { gateway, count, totalAmount } of expected.stats) {
    const stats = await get(production, `/v1/events/payments/stats?gateway=${gateway}`)
    const byToken = stats.byToken as { totalAmount: number | bigint }[]
    t.equal(stats.count, count, gateway)
    // The fixtures add the amounts of different tokens, which the service never does.
    const total = byToken.reduce((sum, token) => sum + BigInt(token.totalAmount), 0n)
    t.equal(total, BigInt(totalAmount), gateway)
  }
  for (const { query, record, status, policyAddress } of expected.subscriptions) {
    const { data } = await get(production, `/v1/subscriptions?trackingId=${query.trackingId}`)
    t.match(data, [{ ...record, status, policyAddress }], query.trackingId)
  }
  for (const { trackingId, recipient, newestFirst } of expected.oneTime) {
    const { data } = await get(production, `/v1/onetime/${trackingId}?recipient=${recipient}`)
    t.match(Array.isArray(data) ? data : [data], newestFirst, trackingId)
  }
})

t.test('payments of the demo are stored, pushed and delivered', async t => {
  const args = ['--count', '4', '--pace', '50']
  const { code, output } = await runScript(production, settings.production, 'demo', ...args)
  t.equal(code, 0, output)
  t.match(output, '4 payments came all the way')
})

t.test('devnet sees its own events and none of production, and the other way round', async t => {
  t.equal(await countOf(devnet), 0)
  const before = await countOf(production)
  const chain = buildChain({ seed: id, programId: settings.devnet.PROGRAM_ID })
  const theirs = buildChain({ seed: `${id} of production` })
  const gateway = await chain.openGateway()
  const stranger = await theirs.openGateway()
  const publisher = await openPublisher(settings.devnet)
  await publisher.publish(JSON.stringify(stranger.created))
  await publisher.publish(JSON.stringify(gateway.created))
  await publisher.close()
  await waitFor(async () => (await countOf(devnet)) > 0, { what: 'the event on devnet' })
  const [event, ...rest] = await get(devnet, '/v1/events')
  t.equal(event.signature, gateway.created.signature)
  t.same(rest, [], "another program's event is refused, though it is on the stream")
  t.equal(await countOf(production), before)
})

t.test('a token of production is no token on devnet, though the keys are the same', async t => {
  // One and the same authority opens a gateway in both; each program gives it another address.
  const publishers = await Promise.all([openPublisher(settings.production), openPublisher(settings.devnet)])
  const chains = [
    buildChain({ seed: 'one' }),
    buildChain({ seed: 'one', programId: settings.devnet.PROGRAM_ID }),
  ]
  const gateways = await Promise.all(chains.map(chain => chain.openGateway()))
  await Promise.all(
    publishers.map((publisher, index) => publisher.publish(JSON.stringify(gateways[index]!.created))),
  )
  await Promise.all(publishers.map(publisher => publisher.close()))

  const signIn = async (stack: StartedStack, index: number) => {
    const { address, authority } = gateways[index]!
    const url = `${stack.describe().baseUrl}/v1/gateway/${address}/auth`
    const { nonce } = await waitFor(
      async () => {
        const response = await fetch(`${url}/challenge`, { method: 'POST' })
        return response.ok && ((await response.json()) as { nonce: string })
      },
      { what: 'a gateway that may sign in' },
    )
    const signature = bs58.encode(sign(null, Buffer.from(nonce, 'utf8'), authority.privateKey))
    const response = await fetch(`${url}/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ signer: authority.publicKey, signature, nonce }),
    })
    return ((await response.json()) as { token: string }).token
  }
  const listWebhooks = async (stack: StartedStack, token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await fetch(`${stack.describe().baseUrl}/v1/webhooks`, { headers })).status
  }
  const [token, devnetToken] = [await signIn(production, 0), await signIn(devnet, 1)]
  t.equal(await listWebhooks(production, token), 200)
  t.equal(await listWebhooks(devnet, devnetToken), 200)
  t.equal(await listWebhooks(devnet, token), 401)
  t.equal(await listWebhooks(production, devnetToken), 401)
})
