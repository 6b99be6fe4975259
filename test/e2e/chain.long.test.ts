// The whole way: programs run in a virtual machine, a node tells of them, `npm start` follows the node, and payments come
// out of REST, of a socket and of a webhook. Honest programs and hostile ones.
import { emitEvent, openSimulatedNode, SimulatedChain } from '@payment-tracking/simulator'
import { createWebhook, listGaps } from '@payment-tracking/store/admin'
import { openStore } from '@payment-tracking/store/core'
import { openReceiver, startStack, waitFor } from '@payment-tracking/testkit'
import { io } from 'socket.io-client'
import t from 'tap'
import { CASES, gateway, payment, PROGRAM, STRANGER, stranger } from './chain-cases.js'

const chain = new SimulatedChain({ programs: [PROGRAM, STRANGER] })
const node = await openSimulatedNode(chain)
t.teardown(() => node.close())

t.test('every honest payment comes out three ways, and nothing else does', async t => {
  const stack = await startStack(t, {
    SOLANA_RPC_URLS: node.url,
    INDEXER_COMMITMENT: 'confirmed',
    RATE_LIMIT_MAX: '100000',
    MAX_CONNECTIONS_PER_ADDRESS: '1000',
  })
  const { baseUrl, databaseUrl } = stack.describe()
  t.match(stack.output(), 'followed by the indexer')
  // oxlint-disable-next-line typescript/no-explicit-any
  const get = async (path: string): Promise<any> => (await fetch(`${baseUrl}${path}`)).json()
  const eventsOf = async (signature: string) =>
    (await get(`/v1/events?signature=${signature}&limit=10`)) as { event_name: string; retracted?: boolean }[]

  const store = openStore({ DATABASE_URL: databaseUrl, poolSize: 1 })
  t.teardown(() => store.close())
  const receiver = await openReceiver(t)
  const eventTypes = ['payment.executed', 'payment.retracted']
  const webhook = { gateway: gateway.address, endpointUrl: receiver.url, active: true, eventTypes }
  await createWebhook(store, webhook as Parameters<typeof createWebhook>[1])
  const socket = io(baseUrl, { path: '/ws/v1', transports: ['websocket'] })
  t.teardown(() => void socket.close())
  const pushed: { type: string; trackingId: string; signature: string }[] = []
  for (const type of ['payment', 'retraction'])
    socket.on(type, ({ data }: { data: { trackingId: string; signature: string } }) =>
      pushed.push({ type, ...data }),
    )
  for (const id of [...CASES.map(({ id }) => id), 'lost', 'sentinel'])
    t.match(await socket.timeout(5_000).emitWithAck('subscribe', { trackingId: id }), { ok: true })
  const deliveredOf = (signature: string, type: string) =>
    receiver.requests
      .map(({ body }) => JSON.parse(body) as { type: string; data: { signature: string } })
      .filter(each => each.type === type && each.data.signature === signature).length
  const pushedOf = (signature: string, type: string) =>
    pushed.filter(each => each.type === type && each.signature === signature).length

  chain.execute([emitEvent(PROGRAM, 'PaymentGatewayCreated', gateway.created.data)])
  const ran = CASES.map(({ calls, options, ...expected }) => {
    chain.advance()
    return { ...expected, signature: chain.execute(calls, options).signature }
  })
  // Many transactions that only mention the program. chain-finalized.long.test.ts has 10,000.
  const mention = chain.run([stranger({ text: 'hello' })], { mentions: [PROGRAM] })
  for (let at = 0; at < 50; at++) chain.add({ ...mention, signature: chain.run([]).signature })
  chain.advance()
  const sentinel = chain.execute([payment('sentinel', 1)])
  chain.finalize()
  await waitFor(() => deliveredOf(sentinel.signature, 'payment.executed') > 0, {
    what: 'the last webhook',
    timeoutMs: 30_000,
  })
  await waitFor(() => pushedOf(sentinel.signature, 'payment') > 0, { what: 'the last push' })

  await t.test('case by case', async t => {
    for (const { id, signature, payments, events = payments, gap } of ran) {
      await waitFor(() => deliveredOf(signature, 'payment.executed') >= payments, { what: `webhooks, ${id}` })
      t.equal(deliveredOf(signature, 'payment.executed'), payments, `${id}: webhooks`)
      t.equal(pushedOf(signature, 'payment'), payments, `${id}: pushes`)
      const rows = await eventsOf(signature)
      t.equal(rows.length, events, `${id}: rows`)
      const gaps = (await listGaps(store, { openOnly: false, limit: 100 })).filter(
        each => each.signature === signature,
      )
      t.match(gaps.map(({ reason }) => reason).join(), gap ?? /^$/, `${id}: gaps`)
    }
  })

  await t.test('a payment of a lost fork is retracted in all three', async () => {
    chain.advance()
    const { signature } = chain.execute([payment('lost', 1)])
    const slot = chain.tip
    chain.advance(2)
    await waitFor(() => pushedOf(signature, 'payment') > 0, { what: 'the early push' })
    await waitFor(() => deliveredOf(signature, 'payment.executed') > 0, { what: 'the early webhook' })
    chain.dropBlock(slot)
    chain.finalize()
    await waitFor(() => pushedOf(signature, 'retraction') > 0, { what: 'the retraction' })
    await waitFor(() => deliveredOf(signature, 'payment.retracted') > 0, { what: 'a retraction by webhook' })
    await waitFor(async () => (await eventsOf(signature)).length === 0, { what: 'the row to leave' })
  })

  await t.test('REST tells which payments are final', async t => {
    const [first] = ran
    await waitFor(
      async () => (await get(`/v1/events?signature=${first!.signature}`))[0]?.finality === 'finalized',
      { what: 'finality' },
    )
    const { data } = await get('/v1/onetime/one')
    t.match(data, { finality: 'finalized', amountString: '18446744073709551615' })
  })

  await t.test('the terminal says what the chain and its node do', async () => {
    const says = (sentence: RegExp) =>
      waitFor(() => sentence.test(stack.output()), { what: String(sentence) })
    await says(/chain: begins to read/)
    await says(/chain: there is only one node; name two or more/)
    await says(/chain: everything up to slot \d+ is published/)
    node.faults.rateLimited = 3
    await says(
      /chain: node 127\.0\.0\.1:\d+: .* answered 429 .*; it limits the rate; lower INDEXER_CONCURRENCY/,
    )
    await says(/chain: node 127\.0\.0\.1:\d+ answers again/)
    node.faults.noLogs = true
    chain.execute([payment('without-logs', 1)])
    chain.finalize()
    await says(
      /chain: node 127\.0\.0\.1:\d+: .* keeps no logs .*; it keeps no logs, leaves out parts of transactions, or/,
    )
    node.faults.noLogs = false
  })
  t.equal(await stack.stop(), 0)
})
