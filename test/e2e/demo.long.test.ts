// `npm start -- --demo`, against a stack of its own: its past is there at once, its endpoints get what is sold, a second start
// does not make the past again.
import { deriveGateway } from '@payment-tracking/domain'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { startStack, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { playMarket } from '../../infra/stack/src/commands/demo/index.js'
import { openGatewaySession } from '../../infra/stack/src/commands/dev-kit/gateway-session.js'
import { readKeyFile } from '../../infra/stack/src/commands/dev-kit/key-file.js'
import { askJson } from '../ask-json.js'

const stack = await startStack(t, { RATE_LIMIT_MAX: '100000' })
const { baseUrl, natsUrl } = stack.describe()
const read = async <T>(path: string): Promise<T> => (await (await fetch(`${baseUrl}${path}`)).json()) as T
const countOf = async (eventName: string) =>
  (await read<{ count: number }>(`/v1/events/count?eventName=${eventName}`)).count
const logged: string[] = []
const play = () =>
  playMarket({
    natsUrl,
    baseUrl,
    knowsGateway: async gateway =>
      (await read<unknown[]>(`/v1/events/gateways/created?limit=1`)).length > 0 && gateway !== '',
    env: { DATA_DIR: stack.dataDir },
    log: line => logged.push(line),
  })

t.test('a demo has a past, two endpoints and a key, and goes on', { timeout: 120_000 }, async t => {
  const market = await play()
  t.teardown(market.close)
  const link = await market.signInLink
  t.match(link, `${baseUrl}/console/sign-in#link=`)
  const open = () =>
    askJson(`${baseUrl}/v1/session`, {
      method: 'POST',
      headers: { origin: baseUrl },
      body: { link: link!.split('#link=')[1] },
    })
  const opened = await open()
  const key = readKeyFile(market.keyFile)
  const gateway = deriveGateway(DEFAULT_PROGRAM_ID, key.publicKey)
  t.match(opened, { status: 201, body: { gateway, scopes: null } }, 'the link signs in')
  t.equal((await open()).status, 401, 'once')
  const session = await openGatewaySession(baseUrl, gateway, key)
  const deliveriesOf = async (path: string) => {
    const endpoints = await session.ask<{ id: number; endpointUrl: string }[]>('GET', '/v1/webhooks')
    const endpoint = endpoints.find(({ endpointUrl }) => endpointUrl.endsWith(path))
    if (!endpoint) return []
    return session.ask<{ status: string; attempts: number }[]>(
      'GET',
      `/v1/webhooks/${endpoint.id}/deliveries`,
    )
  }
  await waitFor(async () => (await countOf('PaymentRecord')) > 200, { what: 'the past', timeoutMs: 60_000 })
  await waitFor(async () => (await deliveriesOf('/webhooks')).some(({ status }) => status === 'delivered'), {
    what: 'a sale that reached the endpoint that works',
    timeoutMs: 60_000,
  })
  await waitFor(async () => (await deliveriesOf('/broken')).some(({ attempts }) => attempts > 0), {
    what: 'a sale that did not reach the endpoint that fails',
  })
  const causesOf = async () => {
    const { items } = await session.ask<{ items: { dueRisk: { cause: string } }[] }>(
      'GET',
      `/v1/gateway/${gateway}/merchant/upcoming?atRisk=true`,
    )
    return items.map(({ dueRisk }) => dueRisk.cause)
  }
  const causes = ['insufficient_balance', 'delegate_revoked', 'insufficient_allowance']
  await waitFor(async () => (await causesOf()).length === causes.length, { what: 'three wallets at risk' })
  t.same(await causesOf(), causes, 'each in its way, the first due first')
  const { data: subscriptions } = await read<{ data: { dueState: string }[] }>(
    `/v1/subscriptions?gatewayPublicKey=${gateway}`,
  )
  const owes = subscriptions.some(({ dueState }) => dueState === 'overdue')
  t.ok(owes, 'somebody owes')
  const statesOf = async () => {
    const items = await session.ask<{ trackingId: string; state: string }[]>(
      'GET',
      `/v1/gateway/${gateway}/expectations`,
    )
    return items.map(({ trackingId, state }) => `${trackingId}: ${state}`).sort()
  }
  const STATES = ['expired', 'open', 'overpaid', 'paid', 'underpaid'].map(state => `order-${state}: ${state}`)
  await waitFor(async () => (await statesOf()).join() === STATES.join(), {
    what: 'an expected payment in each state',
  }).catch(async () => t.same(await statesOf(), STATES))
  await waitFor(
    async () => (await read<{ data?: unknown }>('/v1/onetime/coffee-taken-back')).data === undefined,
    { what: 'a retraction' },
  )
  const past = await read<{ finality: string; tokenMint: string }[]>(
    `/v1/events/payments?gateway=${gateway}&limit=200&offset=50`,
  )
  for (const { finality } of past) t.equal(finality, 'finalized', 'what happened long ago is final')
  t.equal(new Set(past.map(({ tokenMint }) => tokenMint)).size, 2, 'two tokens')
  const { opsUrl, opsToken } = stack.describe()
  const letters = async () =>
    (
      await fetch(`${opsUrl}/dead-letters`, {
        headers: { authorization: `Bearer ${opsToken}`, accept: 'text/html' },
      })
    ).text()
  await waitFor(async () => /NO_TRANSACTION/.test(await letters()), { what: 'a gap' })
  t.match(await letters(), 'amount', 'and a message that was refused for its amount')
  await market.close()
  const policies = await countOf('PaymentPolicyCreated')
  const sold = await countOf('PaymentRecord')
  const again = await play()
  await waitFor(async () => (await countOf('PaymentRecord')) > sold, {
    what: 'the next',
    timeoutMs: 60_000,
  })
  t.same(await causesOf(), causes, 'they are the same ones')
  await again.close()
  t.equal(await countOf('PaymentPolicyCreated'), policies, 'the past is made once')
  t.same(logged, [])
})
