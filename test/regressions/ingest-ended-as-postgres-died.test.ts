// A server that dies in the moment it lets a connection in says so on a connection that nobody listens to yet.
import { createServer } from 'node:net'
import { openStore, readStreamHead } from '@payment-tracking/store/core'
import { updateWebhook } from '@payment-tracking/store/admin'
import { listen, waitFor } from '@payment-tracking/testkit'
import t from 'tap'

/** A message of the server: its letter, its length, its body. */
const message = (letter: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(letter), length, body])
}
const WELCOME = [message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))]
const LAST_WORDS = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection\0\0'))

t.test('a server that dies as it lets a connection in is an outage, not the end of the process', async t => {
  let welcomed = 0
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => {
      welcomed++
      // In one packet: between the two nobody has had a turn.
      socket.end(Buffer.concat([...WELCOME, LAST_WORDS]))
    })
  })
  const port = await listen(t, server)
  const store = openStore({ DATABASE_URL: `postgres://someone@127.0.0.1:${port}/db?sslmode=disable` })
  t.teardown(() => store.close())
  await t.rejects(store.ping())
  await t.rejects(
    updateWebhook(store, 'gateway', 1n, { active: true }),
    { code: 'STORE_UNAVAILABLE' },
    'a transaction',
  )
  await t.rejects(readStreamHead(store), { code: 'STORE_UNAVAILABLE' }, 'a read')
  await waitFor(() => welcomed >= 3, { what: 'three connections' })
})
