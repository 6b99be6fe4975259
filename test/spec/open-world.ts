// A running service, and a chain with one thing of each kind that the specification names.
import { buildJwtKeys } from '@payment-tracking/stack'
import {
  buildAddress,
  buildChain,
  openPublisher,
  startService,
  useEnvironment,
  waitFor,
  type ChainMessage,
  type TestContext,
} from '@payment-tracking/testkit'
import { askJson, type Asked, type JsonAnswer } from '../ask-json.js'
import { signIn } from '../chaos/load/receivers.js'
import t from 'tap'

export const query = (path: string, parameters: Record<string, string | number>): string =>
  `${path}?${new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]))}`

/** More than a page without `limit` holds. */
export const MANY = 101
const DAY = 86_400

export const BACKOFF_MS = 300
export const SEATS = 2

/** Requests of the API at an address. */
export const askAt =
  (baseUrl: string) =>
  (method: string, path: string, asked?: Pick<Asked, 'body' | 'token'>): Promise<JsonAnswer> =>
    askJson(baseUrl + path, { method, ...asked })

async function openWorld(t: TestContext) {
  const { database, settings } = await useEnvironment(t)
  const all = {
    ...settings,
    JWT_PRIVATE_KEYS: buildJwtKeys(),
    RATE_LIMIT_MAX: '1000000',
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    WEBHOOK_BACKOFF_MS: String(BACKOFF_MS),
    MAX_CONNECTIONS_PER_TRACKING_ID: String(SEATS),
  }
  /** Waits for as long as a busy machine needs. */
  const start = async (name: string, env: Record<string, string> = {}) => {
    const service = await startService(t, name, { ...all, PORT: '0', ...env }, { waitUntilReady: false })
    await waitFor(() => service.logs.some(({ msg }) => msg === 'service.ready'), {
      what: `${name} to be ready`,
      timeoutMs: 90_000,
    })
    return service
  }
  const [api] = await Promise.all([start('api'), start('ingest')])
  const baseUrl = String((await api.waitForLog('http.listening')).address)
  const ask = askAt(baseUrl)
  const publisher = await openPublisher(all)
  t.teardown(() => publisher.close())
  const publish = async (...messages: ChainMessage[]) => {
    for (const message of messages) await publisher.publish(JSON.stringify(message))
  }

  const chain = buildChain({ seed: 'spec' })
  const [shop, other] = [await chain.openGateway('shop'), await chain.openGateway('other')]
  const accounts = [
    await chain.openUserPayment(buildAddress('mint of the shop')),
    await chain.openUserPayment(buildAddress('another mint')),
  ] as const
  const due = Math.floor(Date.now() / 1000) + 10 * DAY
  const [monthly, custom, endless] = [
    await chain.openPolicy(shop, accounts[0], {
      trackingId: 'monthly',
      amount: 404_000_000n,
      maxRenewals: 24,
      nextPaymentDue: due,
    }),
    await chain.openPolicy(other, accounts[1], {
      trackingId: 'custom',
      frequency: 262_800,
      autoRenew: false,
      nextPaymentDue: due,
    }),
    // A due date after a payment would be the same moment again and again.
    await chain.openPolicy(other, accounts[1], {
      trackingId: 'no interval',
      frequency: 0,
      nextPaymentDue: 5,
    }),
  ]
  const paid = [chain.pay(monthly), chain.pay(monthly)]
  const paidOnce = chain.pay(endless)
  const payDirectly = (trackingId: string, recipient = monthly.recipient) =>
    chain.payDirectly({
      gateway: shop.address,
      payer: accounts[0].owner,
      recipient,
      tokenMint: accounts[0].tokenMint,
      amount: 5_000_000n,
      trackingId,
    })
  const one = payDirectly('one payment')
  const two = [payDirectly('two payments'), payDirectly('two payments', custom.recipient)]
  const many = Array.from({ length: MANY }, () => payDirectly('many payments'))
  const messages = [
    ...[shop.created, other.created, ...accounts.map(({ created }) => created)],
    ...[monthly, custom, endless].map(({ created }) => created),
    ...[...paid, paidOnce, one, ...two, ...many],
  ]
  await publish(...messages)
  await waitFor(async () => (await ask('GET', '/v1/events/count')).body.count === messages.length, {
    what: 'all events',
    timeoutMs: 60_000,
  })
  const token = await signIn(baseUrl, shop)
  return {
    baseUrl,
    ask,
    database,
    settings: all,
    start,
    publish,
    payDirectly,
    /** Of the gateway `shop`. */
    token,
    shop,
    other,
    accounts,
    due,
    monthly,
    custom,
    endless,
    paid,
    paidOnce,
    one,
    two,
    many,
    messages,
  }
}

// For a machine that is busy.
t.setTimeout(300_000)
/** All checks ask this one. */
export const world = await openWorld(t)
