import { once } from 'node:events'
import {
  endsBeforeTimer,
  makeCommittedPayment,
  openPrivateServers,
  useRedis,
  waitFor,
  type TestContext,
} from '@payment-tracking/testkit'
import { Redis } from 'ioredis'
import t from 'tap'
import { openRedis } from '../src/index.js'
import { readPayments, type PaymentFrame } from '../src/fanout/payment-frame.js'

const committed = (trackingId: string | null, seq: number, recipient: string | null = null) =>
  makeCommittedPayment('gateway', {
    eventId: `event ${seq}`,
    trackingId,
    seq: trackingId === null ? null : seq,
    recipient,
  })

/** Connections that announce, and the messages that arrive. */
async function openListener(t: TestContext) {
  const redis = await useRedis(t)
  const connections = openRedis({ REDIS_URL: redis.url, ENVIRONMENT: redis.prefix })
  const listener = new Redis(redis.url)
  t.teardown(async () => {
    listener.disconnect()
    await connections.close()
  })
  await once(connections.commands, 'ready')
  const messages: Buffer[] = []
  await listener.psubscribe(`payment-tracking:${redis.prefix}:*`)
  listener.on('pmessageBuffer', (_, __, bytes: Buffer) => messages.push(bytes))
  return { connections, messages }
}

t.test('a batch is announced in few messages, and read as it was written', async t => {
  const { connections, messages } = await openListener(t)

  const payments = Array.from({ length: 150 }, (_, n) =>
    committed(`größe-${n}`, n + 1, n % 2 ? `recipient${n}` : null),
  )
  t.equal(
    await connections.announce({
      payments: [...payments, committed(null, 1)],
      committedAtMs: 123_456,
      epoch: 'this',
    }),
    150,
    'without tracking ID: nobody waits',
  )
  t.equal(await connections.announce({ payments: [], epoch: 'this' }), 0)
  await waitFor(() => messages.length >= 3)
  t.equal(messages.length, 3)

  const read: [string, PaymentFrame][] = []
  const wanted = (trackingId: string) => (trackingId === 'größe-3' ? undefined : trackingId)
  const epochs: string[] = []
  const reader = {
    accepts: (epoch: string) => epochs.push(epoch) > 0,
    findRoom: wanted,
    onPayment: (room: string, payment: PaymentFrame) => read.push([room, payment]),
    onLifecycle: () => t.fail('not announced'),
    onExpectation: () => t.fail('not announced'),
  }
  for (const bytes of messages) readPayments(bytes, reader)
  t.same(epochs, ['this', 'this', 'this'], 'asked once a message')
  t.equal(read.length, 149, 'a room that nobody has here is passed over')
  const [room, payment] = read[1]!
  t.equal(room, 'größe-1')
  t.match(payment, { seq: 2, committedAtMs: 123_456, recipient: 'recipient1' })
  t.equal(payment.wsFrame[0], 0x81)
  t.equal(payment.wsFrame.readUInt16BE(2), payment.wsFrame.length - 4, 'the length of the frame')
  const text = payment.wsFrame.toString('utf8', 4)
  t.ok(text.startsWith('42["payment",'))
  t.match((JSON.parse(text.slice(2)) as unknown[])[1], {
    type: 'payment_notification',
    data: { trackingId: 'größe-1', amountString: '18446744073709551615', seq: 2 },
  })
  t.doesNotThrow(() =>
    readPayments(Buffer.from([0xc1, 99, 1, 2, 3]), {
      ...reader,
      onPayment: () => t.fail('another version'),
    }),
  )
  readPayments(messages[0]!, {
    accepts: () => false,
    findRoom: wanted,
    onPayment: () => t.fail('another epoch'),
    onLifecycle: () => t.fail('not announced'),
    onExpectation: () => t.fail('not announced'),
  })
})

t.test('while Redis is away announcing fails at once; while it hangs, soon; then it works again', async t => {
  const TIMEOUT_MS = 300
  const servers = await openPrivateServers(t)
  const connections = openRedis({ REDIS_URL: servers.redisUrl, timeoutMs: TIMEOUT_MS })
  t.teardown(() => connections.close())
  await waitFor(() => connections.ping().then(() => true))
  process.kill(servers.private.redis!.pid, 'SIGSTOP')
  await t.rejects(connections.announce({ payments: [committed('order', 1)], epoch: 'this' }), {
    code: 'SIGNAL_UNAVAILABLE',
  })
  process.kill(servers.private.redis!.pid, 'SIGCONT')
  await waitFor(() => connections.announce({ payments: [committed('order', 1)], epoch: 'this' }))
  await servers.private.redis!.kill()
  await waitFor(() => connections.commands.status !== 'ready')
  const isRefusedAtOnce = await endsBeforeTimer(TIMEOUT_MS / 2, () =>
    t.rejects(connections.announce({ payments: [committed('order', 1)], epoch: 'this' }), {
      code: 'SIGNAL_UNAVAILABLE',
      retry: 'later',
    }),
  )
  t.ok(isRefusedAtOnce, 'without waiting')
  await t.rejects(connections.ping(), { code: 'SIGNAL_UNAVAILABLE' })
  await servers.private.redis!.restart()
  await waitFor(() => connections.announce({ payments: [committed('order', 1)], epoch: 'this' }))
})
