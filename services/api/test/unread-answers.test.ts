import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import t from 'tap'
import { waitFor } from '@payment-tracking/testkit'
import { bytesTaken, UnreadAnswers, type CloseReason } from '../src/limits/unread-answers.js'

const BYTES = 8 * 1024 * 1024

/** Both ends of a connection whose client reads only on demand. */
async function openPair(t: {
  teardown(work: () => void): void
}): Promise<{ server: Socket; client: Socket }> {
  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const client = connect((listener.address() as AddressInfo).port, '127.0.0.1')
  const [server] = (await once(listener, 'connection')) as [Socket]
  client.pause()
  server.on('error', () => {})
  client.on('error', () => {})
  t.teardown(() => {
    client.destroy()
    server.destroy()
    listener.close()
  })
  return { server, client }
}

t.test('upgrade guard: the handle of a socket tells how much of a write is left', async t => {
  const { server, client } = await openPair(t)
  server.write('x'.repeat(BYTES))
  const before = bytesTaken(server)
  t.ok(before < BYTES, `${before} of ${BYTES} bytes are taken while nobody reads`)
  client.resume()
  await waitFor(() => bytesTaken(server) > before, { what: 'progress within one write' })
  await waitFor(() => bytesTaken(server) === BYTES, { what: 'all of it' })
})

t.test('an answer that is not taken closes its connection, one that is taken slowly does not', async t => {
  const reasons: CloseReason[] = []
  const unread = new UnreadAnswers({
    limitBytes: 1e9,
    stallMs: 1_000,
    onClose: reason => reasons.push(reason),
  })
  const { server } = await openPair(t)
  server.write('x'.repeat(BYTES))
  unread.add(server, BYTES, 0)
  unread.closeSlow(1_000)
  t.notOk(server.destroyed)
  unread.closeSlow(1_001)
  t.ok(server.destroyed)
  t.same(reasons, ['stalled'])
  t.equal(unread.bytes, 0)

  const slow = await openPair(t)
  unread.add(slow.server, 80_000, 0)
  for (let nowMs = 500; nowMs <= 11_000; nowMs += 500) {
    // Each sent write counts as progress, however small.
    await new Promise<void>(resolve => slow.server.write('x', () => resolve()))
    t.notOk(slow.server.destroyed, `after ${nowMs} ms`)
    unread.closeSlow(nowMs)
  }
  unread.closeSlow(11_001)
  t.same(reasons, ['stalled', 'too-slow'], '10 s for 80 KB beside the time of a stall')
})

t.test('beyond the common limit, the oldest connections are closed', async t => {
  const reasons: CloseReason[] = []
  const unread = new UnreadAnswers({
    limitBytes: 250,
    stallMs: 1_000,
    onClose: reason => reasons.push(reason),
  })
  const pairs = [await openPair(t), await openPair(t), await openPair(t)]
  const taken = pairs.map(({ server }, n) => unread.add(server, 100, n))
  const destroyed = pairs.map(({ server }) => server.destroyed)
  t.same(destroyed, [true, false, false])
  t.same(reasons, ['too-much-unread'])
  for (const done of taken) done()
  t.equal(unread.bytes, 0)
})
