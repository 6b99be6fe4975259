// Realtime relies on library behaviour that the libraries do not promise. A failing guard names the changed behaviour
// before a client notices it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Server, type Namespace } from 'socket.io'
import { io } from 'socket.io-client'
import { listen } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { sendFrame, SharedFrame, type EngineConnection } from '../src/connections/engine-connection.js'

async function connect(t: Test) {
  const http = createServer()
  const server = new Server(http, { transports: ['websocket'], perMessageDeflate: false })
  const client = io(`http://127.0.0.1:${await listen(t, http)}`, { transports: ['websocket'] })
  t.teardown(async () => {
    client.disconnect()
    await server.close()
  })
  const [socket] = (await once(server, 'connection')) as [{ conn: unknown }]
  await new Promise<void>(resolve => (client.connected ? resolve() : client.once('connect', resolve)))
  return { client, connection: socket.conn as EngineConnection }
}

/** An unmasked text frame of less than 126 bytes (RFC 6455). */
const textFrame = (text: string) =>
  new SharedFrame(Buffer.concat([Buffer.from([0x81, Buffer.byteLength(text)]), Buffer.from(text)]))

t.test("upgrade guard: Engine.IO shows ws's sender, socket and its own queue", async t => {
  const { connection } = await connect(t)
  const { _sender, _socket } = connection.transport.socket
  t.equal(typeof _sender.sendFrame, 'function', 'ws: the sender has sendFrame(buffers)')
  t.type(_socket?.writableLength, 'number', 'ws: the socket tells how much waits')
  t.ok(Array.isArray(connection.writeBuffer), 'engine.io: writeBuffer is the queue of packets')
  t.type(connection.transport.writable, 'boolean', 'engine.io: the transport tells whether it may write')
  t.equal(connection.readyState, 'open')
})

t.test("upgrade guard: a frame reaches the client directly, and through Engine.IO's queue", async t => {
  const { client, connection } = await connect(t)
  const received: string[] = []
  const both = new Promise<void>(resolve => {
    client.on('greeting', (text: string) => {
      if (received.push(text) === 2) resolve()
    })
  })
  sendFrame(connection, textFrame('42["greeting","at once"]'))
  // The option wsPreEncodedFrame makes Engine.IO's transport write the frame unchanged.
  const { later } = textFrame('42["greeting","queued"]')
  connection.write('', { preEncoded: true, compress: false, wsPreEncodedFrame: later })
  await both
  t.strictSame(received, ['at once', 'queued'])
})

t.test('upgrade guard: Socket.IO takes the object that an adapter constructor returns', async t => {
  const server = new Server()
  const Stock = server.of('/').adapter.constructor as new (namespace: Namespace) => object
  let made: object | undefined
  server.adapter(function (namespace: Namespace) {
    made = new Stock(namespace)
    return made
  } as never)
  t.ok(made, 'it was called with `new`')
  t.equal(server.of('/').adapter, made)
})
