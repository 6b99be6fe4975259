// The worker keeps connections between requests, and receivers may end connections at any time.
import { createServer, type Socket } from 'node:net'
import { listen, waitFor, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'
import { openConnections } from '../src/requests/connections.js'
import { openDeadlines } from '../src/requests/deadlines.js'
import { sendOne } from './support/send-one.js'

const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\nkeep-alive: timeout=60\r\n\r\n'

/** A receiver below HTTP: `onRequest` decides what happens to the socket of each request. */
async function openEndpoint(
  t: TestContext,
  onRequest: (socket: Socket, onThisSocket: number) => void,
  idlePoolMs?: number,
) {
  const sockets: Socket[] = []
  let requests = 0
  const server = createServer(socket => {
    sockets.push(socket)
    let onThisSocket = 0
    let text = ''
    socket.on('error', () => {})
    socket.on('data', chunk => {
      text += chunk.toString('latin1')
      if (!text.endsWith('\r\n\r\n{}')) return
      text = ''
      requests++
      onRequest(socket, ++onThisSocket)
    })
  })
  const origin = `http://127.0.0.1:${await listen(t, server)}`
  t.teardown(() => sockets.forEach(socket => socket.destroy()))
  const connections = openConnections({
    timeoutMs: 5_000,
    ...(idlePoolMs === undefined ? {} : { idlePoolMs }),
  })
  t.teardown(() => connections.close())
  const pool = () => connections.to(origin, [{ address: '127.0.0.1', family: 4 }])
  return {
    sockets,
    countRequests: () => requests,
    send: (deadlines = openDeadlines(5_000)) => sendOne(`${origin}/`, { connections, deadlines }),
    /** undici waits for one turn of the event loop before it uses a connection again */
    waitUntilFree: () => waitFor(() => pool().stats.free === 1, { what: 'a free connection' }),
    countPools: () => connections.pools,
    countOpen: () => pool().stats.connected,
  }
}

t.test('a kept connection serves the next request', async t => {
  const endpoint = await openEndpoint(t, socket => socket.write(ANSWER))
  for (let n = 0; n < 3; n++) {
    t.match(await endpoint.send(), { outcome: 'accepted' })
    await endpoint.waitUntilFree()
  }
  t.equal(endpoint.sockets.length, 1)
})

for (const [how, end] of [
  ['closes', (socket: Socket) => socket.end()],
  ['resets', (socket: Socket) => socket.resetAndDestroy()],
] as const) {
  t.test(`a connection that the receiver ${how} between requests costs no try`, async t => {
    const endpoint = await openEndpoint(t, socket => socket.write(ANSWER))
    t.match(await endpoint.send(), { outcome: 'accepted' })
    end(endpoint.sockets[0]!)
    await waitFor(() => endpoint.countOpen() === 0, { what: 'the end of the connection' })
    t.match(await endpoint.send(), { outcome: 'accepted' })
    t.equal(endpoint.sockets.length, 2)
  })
}

t.test('a reset during a request uses up the try: the receiver may have read the request', async t => {
  const endpoint = await openEndpoint(t, (socket, onThisSocket) => {
    if (onThisSocket === 1) socket.write(ANSWER)
    else socket.resetAndDestroy()
  })
  t.match(await endpoint.send(), { outcome: 'accepted' })
  await endpoint.waitUntilFree()
  t.match(await endpoint.send(), { outcome: 'refused', error: 'unreachable', final: false })
  t.equal(endpoint.countRequests(), 2, 'nothing was sent that has no attempt of its own')
  t.match(await endpoint.send(), { outcome: 'accepted' })
})

t.test('a request that is cancelled before it has a connection is never written', async t => {
  const endpoint = await openEndpoint(t, socket => socket.write(ANSWER))
  const deadlines = openDeadlines(5_000)
  const sending = endpoint.send(deadlines)
  // The request waits for its connection, which needs another turn of the event loop.
  await new Promise<void>(resolve => process.nextTick(resolve))
  deadlines.stop()
  t.match(await sending, { outcome: 'interrupted', error: 'stopped' })
  t.match(await endpoint.send(), { outcome: 'accepted' }, 'the next one is')
  t.equal(endpoint.countRequests(), 1)
})

t.test('a pool that no request asks for is dropped, with its connections', async t => {
  const endpoint = await openEndpoint(t, socket => socket.write(ANSWER), 300)
  t.match(await endpoint.send(), { outcome: 'accepted' })
  t.equal(endpoint.countPools(), 1)
  await waitFor(() => endpoint.countPools() === 0, { what: 'the end of the pool' })
  await waitFor(() => endpoint.sockets[0]!.readyState !== 'open', { what: 'the end of its connection' })
  t.match(await endpoint.send(), { outcome: 'accepted' }, 'the next request opens another')
})
