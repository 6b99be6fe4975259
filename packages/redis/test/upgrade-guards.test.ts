// Where this package leans on what a library does not promise. A guard that fails says what a new version changed.
import { createRequire } from 'node:module'
import t from 'tap'

interface Handlers {
  psubscribe(pattern: string): Promise<unknown>
  subscribe(channels: string[]): Promise<unknown>
  on(event: string, handler: (...args: unknown[]) => void): unknown
}

t.test('upgrade guard: the Redis adapter gives every message of its pattern to this.onmessage', async t => {
  const exported: unknown = createRequire(import.meta.url)('@socket.io/redis-adapter')
  const { RedisAdapter } = exported as {
    RedisAdapter: new (namespace: object, publisher: object, subscriber: object, options: object) => object
  }
  t.type(RedisAdapter, 'function', 'the class hangs on the exported function')
  const received: unknown[][] = []
  class Listening extends RedisAdapter {
    onmessage(...args: unknown[]): void {
      received.push(args)
    }
  }
  const handlers = new Map<string, (...args: unknown[]) => void>()
  const subscriber: Handlers = {
    psubscribe: () => Promise.resolve(),
    subscribe: () => Promise.resolve(),
    on: (event, handler) => handlers.set(event, handler),
  }
  const namespace = { name: '/', server: { encoder: {}, _opts: {} }, sockets: new Map() }
  new Listening(namespace, subscriber, subscriber, { key: 'guard' })
  const handler = handlers.get('pmessageBuffer')
  t.type(handler, 'function', 'the adapter listens to the buffers of ioredis')
  const bytes = Buffer.from([0xc1])
  handler!('guard#/#*', Buffer.from('guard#/#room#'), bytes)
  t.strictSame(received, [['guard#/#*', Buffer.from('guard#/#room#'), bytes]])
})
