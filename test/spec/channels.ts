// The specification, sections 6, 8 and 9: stored events, the real-time channel, webhooks, limits and versions.
import assert from 'node:assert/strict'
import { openReceiver, waitFor } from '@payment-tracking/testkit'
import { io } from 'socket.io-client'
import t from 'tap'
import { BACKOFF_MS, SEATS, world } from './open-world.js'
import { checkRows, type Repeated, type Row } from './rows.js'

const { shop, token } = world
const [realtime] = await Promise.all([world.start('realtime'), world.start('webhook-worker')])
const { port } = (await realtime.waitForLog('service.listening')) as unknown as { port: number }
const socketUrl = `http://127.0.0.1:${port}`

interface Received {
  type?: string
  data?: { trackingId?: string; signature?: string; code?: string }
}

/** What sockets and endpoints were told. */
interface Seen {
  /** how a handshake without WebSocket is answered */
  pollingStatus: number
  /** whether a socket at another path was connected */
  otherPathConnects: boolean
  transport: string
  /** of each page, by event */
  pages: Record<'order' | 'stranger' | 'silent', { ack: Received[]; payment: Received[] }>
  /** the answers to those who subscribed to the order, in turn */
  seats: string[]
  requests: { path: string; type: string; signature: string }[]
  /** of the delivery that every try failed of */
  failed: { status: string; attempts: { startedAt: string; finishedAt: string }[] }
}

function openSocket(path = '/ws/v1') {
  const socket = io(socketUrl, { path, transports: ['websocket'], forceNew: true, reconnection: false })
  t.teardown(() => socket.disconnect())
  const heard = { ack: [] as Received[], payment: [] as Received[] }
  socket.on('ack', (message: Received) => heard.ack.push(message))
  socket.on('payment', (message: Received) => heard.payment.push(message))
  return { socket, heard }
}

async function watch(): Promise<Seen> {
  const polled = await fetch(`${socketUrl}/ws/v1/?EIO=4&transport=polling`)
  const elsewhere = openSocket('/ws/v2').socket
  const otherPathConnects = await new Promise<boolean>(resolve => {
    elsewhere.on('connect', () => resolve(true))
    elsewhere.on('connect_error', () => resolve(false))
  })
  const [order, stranger, silent] = [openSocket(), openSocket(), openSocket()]
  order.socket.emit('subscribe', { trackingId: 'order' })
  stranger.socket.emit('subscribe', { trackingId: 'another order' })
  await waitFor(() => order.heard.ack.length + stranger.heard.ack.length === 2, { what: 'both pages' })
  const seats = ['taken']
  for (let number = 1; number <= SEATS; number++) {
    const answer = await openSocket().socket.timeout(30_000).emitWithAck('subscribe', { trackingId: 'order' })
    seats.push(answer.ok ? 'taken' : answer.code)
  }

  await world.ask('DELETE', `/v1/webhooks/gateway/${shop.address}`, { token })
  const [well, off, failing] = [await openReceiver(t), await openReceiver(t), await openReceiver(t)]
  failing.answer({ status: 500 })
  const register = async (endpointUrl: string, active: boolean) =>
    (
      await world.ask('POST', '/v1/webhooks', {
        token,
        body: { gateway_pubkey: shop.address, endpoint_url: endpointUrl, active },
      })
    ).body.id as number
  await register(`${well.url}hook`, true)
  await register(`${off.url}off`, false)
  const failingId = await register(`${failing.url}failing`, true)
  await world.publish(world.payDirectly('order'))
  const delivery = await waitFor(
    async () => {
      const { body } = await world.ask('GET', `/v1/webhooks/${failingId}/deliveries?status=failed`, { token })
      return body[0] as { id: number; status: string } | undefined
    },
    { what: 'the end of all tries', timeoutMs: 60_000 },
  )
  const detail = await world.ask('GET', `/v1/webhooks/${failingId}/deliveries/${delivery.id}`, { token })
  await waitFor(() => order.heard.payment.length > 0 && well.requests.length > 0, { what: 'the payment' })
  assert.equal(failing.requests.length, detail.body.attemptLog.length, 'each attempt is a request')
  return {
    pollingStatus: polled.status,
    otherPathConnects,
    transport: order.socket.io.engine.transport.name,
    pages: { order: order.heard, stranger: stranger.heard, silent: silent.heard },
    seats,
    requests: [well, off].flatMap(({ requests }) =>
      requests.map(({ path, body }) => {
        const { type, data } = JSON.parse(body)
        return { path, type, signature: data.signature }
      }),
    ),
    failed: { status: delivery.status, attempts: detail.body.attemptLog },
  }
}

const channel = (says: string, check: () => void): Row => ({
  section: 6,
  table: 'real-time channel',
  says,
  check,
})
function hasFourTries({ failed }: Seen): void {
  assert.equal(failed.status, 'failed')
  assert.equal(failed.attempts.length, 4, 'one try and three more')
  const pauses = failed.attempts
    .slice(1)
    .map(({ startedAt }, index) => Date.parse(startedAt) - Date.parse(failed.attempts[index]!.finishedAt))
  // A busy machine makes pauses longer, never shorter; jitter is a fifth.
  for (const [index, pause] of pauses.entries())
    assert.ok(pause >= 0.8 * BACKOFF_MS * 2 ** index, `pauses of ${pauses.join(', ')} ms`)
}
const SEATS_END = 'rule 3: connections of a tracking ID are limited'
const RETRIES = 'a delivery that fails is tried three times more, each pause twice as long'

const rowsOf = (seen: Seen): (Row | Repeated)[] => [
  {
    section: 6,
    says: 'payments are events named PaymentRecord, and all names are listed',
    as: [
      '4 endpoints: GET /v1/events/names: each name once',
      '4 endpoints: GET /v1/events/payments: payments',
      '4 events: eventName',
    ],
  },
  channel('named events over a WebSocket', () => {
    assert.equal(seen.transport, 'websocket')
    assert.equal(seen.pages.order.payment.length, 1)
  }),
  channel('the path is /ws/v1', () => assert.ok(!seen.otherPathConnects && seen.pages.order.ack.length > 0)),
  channel('no transport but WebSocket', () => assert.equal(seen.pollingStatus, 400)),
  channel('the client says subscribe, with trackingId in an object', () =>
    assert.equal(seen.pages.order.ack[0]!.data, 'Subscribed to trackingId: order'),
  ),
  channel('the server says payment, with the payment in data', () => {
    assert.equal(typeof seen.pages.order.payment[0]!.data!.signature, 'string')
    assert.equal(seen.pages.order.payment[0]!.data!.trackingId, 'order')
  }),
  {
    section: 6,
    says: 'rules 1 and 2: a payment is told to those who subscribed to its tracking ID, and to nobody else',
    check: () =>
      assert.deepEqual(
        [seen.pages.order, seen.pages.stranger, seen.pages.silent].map(({ payment }) => payment.length),
        [1, 0, 0],
      ),
  },
  {
    section: 6,
    says: SEATS_END,
    check: () =>
      assert.deepEqual(seen.seats, [...Array.from({ length: SEATS }, () => 'taken'), 'TOO_MANY_CONNECTIONS']),
  },
  {
    section: 6,
    says: 'active webhooks of the gateway are told of a payment at their URL, and inactive ones are not',
    check: () =>
      assert.deepEqual(seen.requests, [
        { path: '/hook', type: 'payment.executed', signature: seen.pages.order.payment[0]!.data!.signature },
      ]),
  },
  {
    section: 6,
    says: RETRIES,
    check: () => hasFourTries(seen),
  },
  ...Object.entries({
    'at most 3 parameters of a look-up of subscriptions': [
      '4 sentences: rule 3: three parameters, and no more',
    ],
    'a page of 100 by default: one-time payments, events and payments': [
      '4 one-time payment: limit, 100 by default',
      '4 events: limit, 100 by default',
      '4 other events: /v1/events/payments limit, 100 by default',
    ],
    'the first page by default: one-time payments, events and payments': [
      '4 one-time payment: offset, 0 by default',
      '4 events: offset, 0 by default',
      '4 other events: /v1/events/payments offset, 0 by default',
    ],
    '3 retries of a webhook, in growing pauses': [`6 sentences: ${RETRIES}`],
    'connections of a tracking ID': [`6 sentences: ${SEATS_END}`],
  }).map(([says, as]): Repeated => ({ section: 8, table: 'limits', says, as })),
  {
    section: 9,
    says: 'paths carry the version: /v1 for REST, /ws/v1 for sockets',
    check: async () => {
      assert.equal((await world.ask('GET', '/v1/health')).status, 200)
      for (const path of ['/health', '/v2/health']) assert.equal((await world.ask('GET', path)).status, 404)
      assert.ok(!seen.otherPathConnects)
    },
  },
  {
    section: 9,
    says: 'health tells the version of the service as a text',
    as: ['2 health: version'],
  },
]

t.test('sections 6, 8 and 9', async t =>
  checkRows(t, rowsOf(await watch()), { '6 real-time channel': 5, '8 limits': 5 }),
)
