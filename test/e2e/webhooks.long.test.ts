// From the stream to a gateway's endpoint: sign in with the wallet of the fixtures, register, and get every
// payment, through an ingest that is killed on the way.
import { subjectOf } from '@payment-tracking/contracts'
import { readJson } from '@payment-tracking/domain'
import { buildJwtKeys } from '@payment-tracking/stack'
import {
  openReceiver,
  readExpectedAnswers,
  readFixtureMessages,
  startService,
  useEnvironment,
  waitFor,
} from '@payment-tracking/testkit'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { signWith } from './sign-with.js'

t.test('a gateway gets every payment once signed in, whatever dies', { timeout: 120_000 }, async t => {
  const expected = await readExpectedAnswers()
  const messages = await readFixtureMessages()
  const { nats, settings } = await useEnvironment(t)
  const env = {
    ...settings,
    WEBHOOK_ALLOW_PRIVATE_TARGETS: 'on',
    'webhook-worker.overdueMs': '1000',
    'ingest.sweepEveryMs': '500',
    'ingest.ackWaitMs': '2000',
    JWT_PRIVATE_KEYS: buildJwtKeys(),
    RATE_LIMIT_MAX: '100000',
    PORT: '0',
  }
  const ingest = await startService(t, 'ingest', env)
  const [api] = await Promise.all([startService(t, 'api', env), startService(t, 'webhook-worker', env)])
  const base = (await api.waitForLog('http.listening')).address as string

  const nameOf = (bytes: Uint8Array): unknown => {
    try {
      return (readJson(Buffer.from(bytes).toString('utf8')) as { event_name?: unknown }).event_name
    } catch {
      return undefined
    }
  }
  const publish = (chosen: Uint8Array[]) =>
    Promise.all(
      chosen.map(bytes => nats.jetstream.publish(subjectOf(nats.subjectPrefix, nameOf(bytes)), bytes)),
    )
  const isPayment = (bytes: Uint8Array) => String(nameOf(bytes)).endsWith('PaymentRecord')
  await publish(messages.filter(bytes => !isPayment(bytes)))

  const call = async (method: string, path: string, token?: string, body?: unknown) => {
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  const signIn = async (gateway: string, signer: string, secret: string) => {
    const path = `/v1/gateway/${gateway}/auth`
    const challenge = await call('POST', `${path}/challenge`)
    if (challenge.status !== 200) return challenge
    const { nonce } = challenge.body
    return call('POST', `${path}/verify`, undefined, { signer, signature: signWith(secret, nonce), nonce })
  }
  const { changedSigner, deletedGateway, stats } = expected
  const [paid] = stats
  await waitFor(
    async () => (await signIn(paid!.gateway, paid!.authority, paid!.authoritySecret)).status === 200,
    {
      what: 'the gateway to be known',
    },
  )
  await waitFor(
    async () => (await call('POST', `/v1/gateway/${deletedGateway.gateway}/auth/challenge`)).status === 404,
    { what: 'the deletion' },
  )
  t.equal(
    (await signIn(deletedGateway.gateway, deletedGateway.authority, deletedGateway.authoritySecret)).status,
    404,
    'a deleted gateway cannot sign in',
  )
  t.equal(
    (await signIn(changedSigner.gateway, changedSigner.signer, changedSigner.signerSecret)).status,
    200,
    'the current signer can',
  )
  const { token } = (await signIn(paid!.gateway, paid!.authority, paid!.authoritySecret)).body
  const receiver = await openReceiver(t)
  const created = await call('POST', '/v1/webhooks', token, {
    gateway_pubkey: paid!.gateway,
    endpoint_url: receiver.url,
    format: 'standard',
  })
  t.equal(created.status, 201)
  t.equal((await call('POST', `/v1/webhooks/${created.body.id}/test`, token)).status, 202)
  const [test] = await receiver.waitForRequests(1)
  const webhook = new Webhook(created.body.secret)
  t.match(webhook.verify(test!.body, test!.headers as Record<string, string>), { type: 'webhook.test' })

  const payments = messages.filter(isPayment)
  const half = payments.length >> 1
  await publish(payments.slice(0, half))
  await receiver.waitForRequests(5)
  await ingest.stop('SIGKILL')
  await publish(payments.slice(half))
  await startService(t, 'ingest', env)
  const count = Number(paid!.count)
  await receiver.waitForRequests(count + 1, { timeoutMs: 60_000 })
  const list = await waitFor(
    async () => {
      const { body } = await call(
        'GET',
        `/v1/webhooks/${created.body.id}/deliveries?limit=1000&status=delivered`,
        token,
      )
      return body.length === count + 1 ? body : false
    },
    { what: 'all to be delivered' },
  )
  t.equal(new Set(list.map(({ eventId }: { eventId: string }) => eventId)).size, count + 1)
  const amounts = new Map<string, bigint>()
  for (const { body, headers } of receiver.requests) {
    const message = webhook.verify(body, headers as Record<string, string>) as {
      type: string
      data: { amountString: string; gateway: string }
    }
    if (message.type !== 'payment.executed') continue
    t.equal(message.data.gateway, paid!.gateway)
    amounts.set(String(headers['webhook-id']), BigInt(message.data.amountString))
  }
  t.equal(amounts.size, count, 'each payment has one id')
  t.equal(
    [...amounts.values()].reduce((sum, amount) => sum + amount, 0n),
    BigInt(paid!.totalAmount),
    'and every token unit is told',
  )
  t.comment(`${receiver.requests.length - 1 - count} repeats of ${count} payments`)
})
