// The API relies on library behaviour that the libraries do not promise. A failing guard names the changed behaviour.
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit'
import websocket from '@fastify/websocket'
import fastify from 'fastify'
import t from 'tap'

t.test('upgrade guard: @fastify/websocket marks an upgrade with the symbol ws-socket', async t => {
  const app = fastify({ forceCloseConnections: true })
  t.teardown(() => app.close())
  await app.register(websocket)
  let marked = false
  app.addHook('onRequest', (request, reply, done) => {
    const key = Object.getOwnPropertySymbols(request.raw).find(symbol => symbol.description === 'ws-socket')
    marked = key !== undefined
    if (key) delete (request.raw as unknown as Record<symbol, unknown>)[key]
    void reply.header('connection', 'close')
    reply.raw.on('finish', () => request.raw.socket.end())
    done()
  })
  app.get('/plain', () => 'answered')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const sent = httpRequest({
    port,
    host: '127.0.0.1',
    path: '/plain',
    headers: { connection: 'upgrade', upgrade: 'h2c' },
  }).end()
  const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { statusCode: number }]
  response.resume()
  t.ok(marked, 'the request carries the symbol; ignore-upgrades.ts looks for it by its description')
  t.equal(response.statusCode, 200, 'without the symbol the request is answered like any other')
})

t.test('upgrade guard: @fastify/rate-limit takes the object that a store constructor returns', async t => {
  const app = fastify()
  t.teardown(() => app.close())
  let asked = 0
  const counts = {
    incr: (_key: string, callback: (error: null, result: { current: number; ttl: number }) => void) => {
      asked++
      callback(null, { current: 7, ttl: 1_000 })
    },
    child: () => counts,
  }
  await app.register(rateLimit, {
    max: 10,
    store: function store() {
      return counts
    } as unknown as NonNullable<RateLimitPluginOptions['store']>,
  })
  app.get('/', () => 'answered')
  const { headers } = await app.inject('/')
  t.equal(asked, 1)
  t.equal(headers['x-ratelimit-remaining'], '3', 'the count is the one of our object')
})
