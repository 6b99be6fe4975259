// The whole system as `npm start` runs it, twice side by side: production and devnet, on one Postgres server
// and one NATS server, apart by their settings alone.
import { randomBytes } from 'node:crypto'
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
import t from 'tap'
import { askJson } from '../ask-json.js'
import { signIn } from '../chaos/load/receivers.js'

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
    buildChain({ seed: `${id} of production` }),
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

  const listWebhooks = async (stack: StartedStack, token: string | undefined) =>
    (await askJson(`${stack.describe().baseUrl}/v1/webhooks`, { token })).status
  const [token, devnetToken] = await Promise.all(
    [production, devnet].map((stack, at) => signIn(stack.describe().baseUrl, gateways[at]!)),
  )
  t.equal(await listWebhooks(production, token), 200)
  t.equal(await listWebhooks(devnet, devnetToken), 200)
  t.equal(await listWebhooks(devnet, token), 401)
  t.equal(await listWebhooks(production, devnetToken), 401)
})
