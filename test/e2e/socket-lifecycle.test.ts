// Life-cycle events on their whole way: from the stream through ingest and Redis to sockets, beside a webhook's rows.
import { SOCKET_PATH, type LifecycleMessage } from '@payment-tracking/contracts'
import {
  buildChain,
  openPublisher,
  startService,
  useEnvironment,
  waitFor,
  SENT,
} from '@payment-tracking/testkit'
import { io } from 'socket.io-client'
import t from 'tap'

const TYPES = ['created', 'paused', 'resumed', 'completed', 'deleted'].map(kind => `subscription.${kind}`)

t.test(
  'a policy that is deleted at once is told from beginning to end, with the ids and data of webhooks',
  async t => {
    const { database, settings } = await useEnvironment(t)
    const chain = buildChain({ seed: 'socket-lifecycle' })
    const gateway = await chain.openGateway()
    const userPayment = await chain.openUserPayment()
    const policy = await chain.openPolicy(gateway, userPayment, { trackingId: 'order' })
    await database.pool.query(
      `insert into webhooks (gateway, endpoint_url, secret, event_types)
     values ($1, 'http://127.0.0.1:9/', 'whsec_', $2)`,
      [gateway.address, TYPES],
    )
    // Checks come too late for this test.
    const realtime = await startService(t, 'realtime', {
      ...settings,
      PORT: '0',
      'realtime.lifecycleEveryMs': '3600000',
    })
    const { port } = (await realtime.waitForLog('service.listening')) as unknown as { port: number }
    const received: [number, LifecycleMessage][] = []
    const follow = async (index: number, request: object) => {
      const client = io(`http://127.0.0.1:${port}`, { path: SOCKET_PATH, transports: ['websocket'] })
      t.teardown(() => client.disconnect())
      client.on('lifecycle', (message: LifecycleMessage) => received.push([index, message]))
      await client.timeout(30_000).emitWithAck('subscribe', { trackingId: 'order', ...request })
    }
    await follow(0, { events: true, recipient: policy.recipient })
    await follow(1, { events: true, recipient: gateway.address })
    await follow(2, {})

    // Ingest starts when the stream holds the whole story, and so reads it in few batches.
    const publisher = await openPublisher(settings)
    t.teardown(() => publisher.close())
    for (const message of [
      gateway.created,
      userPayment.created,
      policy.created,
      chain.changeStatus(policy, 'Active', 'Paused'),
      chain.changeStatus(policy, 'Paused', 'Active'),
      chain.deletePolicy(policy),
    ])
      await publisher.publish(JSON.stringify(message))
    await startService(t, 'ingest', settings)
    await waitFor(() => received.length >= 4, { what: 'the whole story' })
    const expected = await database.pool.query<{ id: string; type: string; body: string }>(
      `select message_id as id, type, body from ${SENT} d order by id`,
    )
    t.same(
      received.map(([index]) => index),
      [0, 0, 0, 0],
      'only who asked, for this recipient',
    )
    const messages = received.map(([, message]) => message)
    t.same(messages.map(({ type }) => type.replace('subscription.', '')).sort(), [
      'created',
      'deleted',
      'paused',
      'resumed',
    ])
    const inOrder = (list: { id: string }[]) => [...list].sort((a, b) => (a.id < b.id ? -1 : 1))
    t.same(
      inOrder(messages.map(({ id, type, data }) => ({ id, type, data }))),
      inOrder(
        expected.rows.map(({ id, type, body }) => ({
          id,
          type,
          data: (JSON.parse(body) as LifecycleMessage).data,
        })),
      ),
    )
  },
)
