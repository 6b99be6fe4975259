// `npm start` behind a long history: the terminal shows the backfill, 10,000 transactions that only mention the program
// change nothing, and a payment reaches REST, the socket and the webhook once it is final, and not before.
import { emitEvent, openSimulatedNode, SimulatedChain } from '@payment-tracking/simulator'
import { buildSignature } from '@payment-tracking/stack'
import { createWebhook, listGaps } from '@payment-tracking/store/admin'
import { openStore } from '@payment-tracking/store/core'
import { openReceiver, startStack, waitFor } from '@payment-tracking/testkit'
import { io } from 'socket.io-client'
import t from 'tap'
import { gateway, payment, PROGRAM, STRANGER, stranger } from './chain-cases.js'

const BLOCKS = 100
const A_BLOCK = 100

t.test('a history is read, and then every payment comes as soon as it is final', async t => {
  const chain = new SimulatedChain({ programs: [PROGRAM, STRANGER] })
  const node = await openSimulatedNode(chain)
  t.teardown(() => node.close())
  chain.execute([emitEvent(PROGRAM, 'PaymentGatewayCreated', gateway.created.data)])
  const mention = chain.run([stranger({ text: 'hello' })], { mentions: [PROGRAM] })
  for (let block = 0; block < BLOCKS; block++) {
    chain.advance()
    for (let at = 0; at < A_BLOCK; at++)
      chain.add({ ...mention, signature: buildSignature(`mention ${block}/${at}`) })
  }
  const paid = chain.execute([payment('history', 1)])
  chain.finalize()

  const stack = await startStack(t, {
    SOLANA_RPC_URLS: node.url,
    INDEXER_CONCURRENCY: '32',
    RATE_LIMIT_MAX: '100000',
  })
  const { baseUrl, databaseUrl } = stack.describe()
  const says = (sentence: RegExp) =>
    waitFor(() => sentence.test(stack.output()), { what: String(sentence), timeoutMs: 200_000 })
  await says(/chain: \d+ of about \d+ transactions read, \d+ a second, through slot \d+/)
  await says(new RegExp(`chain: has caught up, ${BLOCKS * A_BLOCK + 2} transactions at \\d+ a second`))
  await says(/chain: everything up to slot \d+ is published/)
  const read = async (path: string) => (await fetch(`${baseUrl}${path}`)).json()
  const store = openStore({ DATABASE_URL: databaseUrl, poolSize: 1 })
  t.teardown(() => store.close())
  await waitFor(async () => ((await read('/v1/events?limit=10')) as unknown[]).length >= 2, {
    what: 'two events',
  })
  const rows = (await read('/v1/events?limit=10')) as { signature: string }[]
  t.equal(rows.length, 2, 'mentions are no events')
  t.ok(rows.some(row => row.signature === paid.signature))
  t.same(await listGaps(store, { openOnly: false, limit: 10 }), [])

  const receiver = await openReceiver(t)
  const webhook = { gateway: gateway.address, endpointUrl: receiver.url, active: true }
  await createWebhook(store, webhook)
  const socket = io(baseUrl, { path: '/ws/v1', transports: ['websocket'] })
  t.teardown(() => void socket.close())
  const pushed: string[] = []
  socket.on('payment', ({ data }: { data: { signature: string } }) => pushed.push(data.signature))
  t.match(await socket.timeout(5_000).emitWithAck('subscribe', { trackingId: 'live' }), { ok: true })
  const { signature } = chain.execute([payment('live', 1)])
  chain.advance(5)
  const polls = node.calls.get('getSlot') ?? 0
  await waitFor(() => (node.calls.get('getSlot') ?? 0) >= polls + 5, { what: 'five checks of the chain' })
  t.same([pushed, receiver.requests.length], [[], 0], 'a confirmed payment is not told')
  t.equal((await fetch(`${baseUrl}/v1/onetime/live`)).status, 404, 'nor read')
  chain.finalize()
  await waitFor(() => pushed.length > 0 && receiver.requests.length > 0, { what: 'the final payment' })
  t.same(pushed, [signature])
  t.match(JSON.parse(receiver.requests[0]!.body), { type: 'payment.executed', data: { signature } })
  t.match(await read('/v1/onetime/live'), { data: { finality: 'finalized' } })
  t.equal(await stack.stop(), 0)
})
