// The typed client against the whole system: REST without rounding, pages by cursor, and payments that come
// each once, though the connection is cut in the middle.
import { createServer as createHttpServer } from 'node:http'
import {
  createApiClient,
  nextCursor,
  watchEvents,
  watchPayments,
  type WatchState,
} from '@payment-tracking/client'
import { listen, buildChain, openProxy, waitFor } from '@payment-tracking/testkit'
import { Server } from 'socket.io'
import t from 'tap'
import { WebSocket } from 'ws'
import { startStackWithPublisher } from './start-stack-with-publisher.js'

// Node 20 has none of its own.
Object.assign(globalThis, { WebSocket })
const { id, baseUrl, database, publish } = await startStackWithPublisher(t, 'client', {
  RATE_LIMIT_MAX: '100000',
})

const chain = buildChain({ seed: id })
const gateway = await chain.openGateway()
const userPayment = await chain.openUserPayment()
const AMOUNT = 9_007_199_254_740_993n
const trackingId = `order ${id} ☕/?#`
const policy = await chain.openPolicy(gateway, userPayment, { trackingId, amount: AMOUNT })
await publish(
  gateway.created,
  userPayment.created,
  policy.created,
  ...Array.from({ length: 7 }, () => chain.pay(policy)),
)

const client = createApiClient(`${baseUrl}/`)

t.test('REST answers are typed and exact', async t => {
  await waitFor(
    async () => Number((await client.GET('/v1/events/count', { params: { query: {} } })).data?.count) >= 10,
  )
  const { data } = await client.GET('/v1/subscriptions', { params: { query: { trackingId } } })
  const [subscription] = data!.data
  t.equal(subscription!.totalPaid, 7n * AMOUNT)
  t.equal(subscription!.policyAddress, policy.address)
  t.equal(subscription!.walletPublicKey, userPayment.owner)
  const onetime = await client.GET('/v1/onetime/{trackingId}', {
    params: { path: { trackingId }, query: { limit: 1 } },
  })
  t.match(onetime.data!.data, { trackingId, amount: AMOUNT, recordId: 7 })
  const stats = await client.GET('/v1/events/payments/stats', {
    params: { query: { gateway: gateway.address } },
  })
  t.match(stats.data, { count: 7, totalAmount: 7n * AMOUNT, averageAmount: AMOUNT })
  const missing = await client.GET('/v1/onetime/{trackingId}', {
    params: { path: { trackingId: 'nothing' }, query: {} },
  })
  t.equal(missing.response.status, 404)
  t.match(missing.error, { success: false, code: 'NOT_FOUND' })
  const wrong = await client.GET('/v1/events', { params: { query: { gateway: 'nonsense' } } })
  t.match(wrong.error, { code: 'INVALID_PARAMETER', error: /gateway/ })
})

t.test('pages follow one another by cursor', async t => {
  const ids: string[] = []
  let cursor: string | null | undefined
  do {
    const query = { trackingId, limit: 3, ...(cursor ? { cursor } : {}) }
    const { data, response } = await client.GET('/v1/events', { params: { query } })
    ids.push(...data!.map(event => event.id))
    cursor = nextCursor(response)
  } while (cursor)
  t.equal(ids.length, 8)
  t.equal(new Set(ids).size, 8)
})

t.test('each payment arrives once, through a cut connection and after a restart', async t => {
  const network = await openProxy(t, baseUrl)
  const seqs: number[] = []
  let states: WatchState[] = []
  const watch = watchPayments(network.url, {
    trackingId,
    since: 0,
    onPayment: ({ seq, amountString }) => {
      t.equal(amountString, String(AMOUNT))
      seqs.push(seq)
    },
    onReady: state => states.push(state),
    onRefused: ({ code }) => t.fail(code),
    onReset: () => t.fail('the database did not change'),
  })
  t.teardown(() => watch.close())
  await waitFor(() => states.length === 1)
  t.same(seqs, [1, 2, 3, 4, 5, 6, 7])
  await publish(chain.pay(policy))
  await waitFor(() => seqs.length === 8, { what: 'a live payment' })
  network.cut()
  await publish(...Array.from({ length: 5 }, () => chain.pay(policy)))
  await waitFor(() => seqs.length === 13, { what: 'what came while the connection was cut' })
  t.same(
    [...seqs].sort((a, b) => a - b),
    Array.from({ length: 13 }, (_, n) => n + 1),
  )
  t.equal(new Set(seqs).size, 13)
  watch.close()

  await publish(chain.pay(policy))
  states = []
  const later: number[] = []
  const again = watchPayments(baseUrl, {
    trackingId,
    ...watch.state!,
    onPayment: ({ seq }) => later.push(seq),
    onReady: state => states.push(state),
  })
  t.teardown(() => again.close())
  await waitFor(() => later.length === 1)
  t.same(later, [14])
})

t.test('an invalid subscription is refused for good', async t => {
  const refusals: string[] = []
  const watch = watchPayments(baseUrl, {
    trackingId: 'x'.repeat(65),
    onPayment: () => t.fail(),
    onRefused: ({ code, isFinal }) => refusals.push(`${code} ${isFinal}`),
  })
  t.teardown(() => watch.close())
  await waitFor(() => refusals.length > 0)
  t.same(refusals, ['INVALID_TRACKING_ID true'])
})

t.test('a payment that a server pushes before its acknowledgement is passed on', async t => {
  // An older server: it pushes as soon as the subscription holds, and acknowledges afterwards.
  const server = new Server({ path: '/ws/v1', transports: ['websocket'] })
  t.teardown(() => server.close())
  const payment = (seq: number) => ({ trackingId, seq, eventId: `event-${seq}`, signature: 's' })
  server.on('connection', socket =>
    socket.on('subscribe', (_request, acknowledge: (reply: unknown) => void) => {
      for (const seq of [4, 6, 5, 7]) socket.emit('payment', { data: payment(seq) })
      socket.emit('retraction', { data: payment(6) })
      acknowledge({
        ok: true,
        head: 4,
        next: 4,
        epoch: 'e',
        resume: 'r',
        recovered: true,
        replay: [],
        more: false,
      })
    }),
  )
  const listening = createHttpServer()
  server.attach(listening)
  const [seqs, retracted]: [number[], number[]] = [[], []]
  const watch = watchPayments(`http://127.0.0.1:${await listen(t, listening)}`, {
    trackingId,
    onPayment: ({ seq }) => seqs.push(seq),
    onRetraction: ({ seq }) => retracted.push(seq),
  })
  t.teardown(() => watch.close())
  await waitFor(() => watch.state !== null)
  t.same(seqs, [5, 7], 'those beyond the acknowledged head, without the retracted one')
  t.same(retracted, [6])
})

t.test('the stream of events begins anew when the database was replaced meanwhile', async t => {
  const network = await openProxy(t, baseUrl)
  const seen: string[] = []
  const states: string[] = []
  let resets = 0
  const watch = watchEvents(network.url, {
    filters: { trackingId },
    since: '0',
    onEvent: ({ signature }) => seen.push(signature),
    onState: state => states.push(state),
    onReset: () => (resets += 1),
  })
  t.teardown(() => watch.close())
  await waitFor(() => seen.length === 15, { what: 'the stored events' })
  network.cut()
  await waitFor(() => states.at(-1) === 'lost')
  t.equal(resets, 0, 'a lost connection alone is no other database')
  // As ingest does: without a new epoch number, ingest would find another database and change the epoch once more.
  await database.pool.query(
    'update stream_head set epoch = gen_random_uuid(), epoch_number = epoch_number + 1',
  )
  await waitFor(() => resets === 1 && states.at(-1) === 'open', { what: 'a stream of the new database' })
  const payment = chain.pay(policy)
  await publish(payment)
  await waitFor(() => seen.includes(payment.signature), { what: 'the next event' })
  t.equal(resets, 1)
})
