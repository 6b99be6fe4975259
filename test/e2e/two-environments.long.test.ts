// The whole system as `npm start` runs it, twice side by side: production and devnet, on one Postgres server
// and one NATS server, apart by their settings alone.
import { randomBytes, sign } from 'node:crypto'
import { buildJwtKeys } from '@payment-tracking/stack'
import {
  createDatabase,
  buildAddress,
  buildChain,
  openPublisher,
  startStack,
  useServers,
  waitFor,
  type StartedStack,
} from '@payment-tracking/testkit'
import bs58 from 'bs58'
import t from 'tap'

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

const eventsOf = async (stack: StartedStack) =>
  (await (await fetch(`${stack.describe().baseUrl}/v1/events`)).json()) as { signature: string }[]

t.test('devnet sees its own events and none of production, and the other way round', async t => {
  const chains = [
    buildChain({ seed: id, programId: settings.devnet.PROGRAM_ID }),
    buildChain({ seed: id }),
  ] as const
  const [theirs, ours] = await Promise.all(chains.map(chain => chain.openGateway()))
  const publishers = [await openPublisher(settings.devnet), await openPublisher(settings.production)] as const
  await publishers[0].publish(JSON.stringify(ours!.created))
  await publishers[0].publish(JSON.stringify(theirs!.created))
  await publishers[1].publish(JSON.stringify(ours!.created))
  await Promise.all(publishers.map(publisher => publisher.close()))
  for (const [stack, { created }] of [
    [devnet, theirs!],
    [production, ours!],
  ] as const) {
    await waitFor(async () => (await eventsOf(stack)).length > 0, { what: 'the event' })
    t.match(await eventsOf(stack), [{ signature: created.signature }])
    t.equal(
      (await eventsOf(stack)).length,
      1,
      "another program's event is refused, though it is on the stream",
    )
  }
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
