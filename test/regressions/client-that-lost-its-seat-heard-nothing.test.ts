// A seat can be lost while the connection goes on (Redis lost its data, a pod was paused). The published client
// took the refusal of a subscribe for the only way to be without one, and then heard nothing for ever.
import { createServer } from 'node:http'
import { watchPayments } from '@payment-tracking/client'
import { listen, waitFor } from '@payment-tracking/testkit'
import { Server } from 'socket.io'
import t from 'tap'

t.test('a client whose seat is taken away asks for it again', async t => {
  const http = createServer()
  const io = new Server(http, { path: '/ws/v1', transports: ['websocket'] })
  t.teardown(() => io.close())
  let asked = 0
  io.on('connection', socket => {
    socket.on('subscribe', ({ trackingId }: { trackingId: string }, reply: (answer: object) => void) => {
      asked++
      reply({ ok: true, head: 0, epoch: 'e', resume: 'r', recovered: true, replay: [], more: false, next: 0 })
      if (asked > 1) return
      const data = { code: 'TOO_MANY_CONNECTIONS', message: 'no place', trackingId }
      socket.emit('error', { type: 'error', data, timestamp: Date.now() })
    })
  })
  const port = await listen(t, http)
  const watch = watchPayments(`http://127.0.0.1:${port}`, { trackingId: 'order', onPayment: () => {} })
  t.teardown(() => watch.close())
  t.ok(await waitFor(() => asked === 2, { what: 'a second subscribe' }))
})
