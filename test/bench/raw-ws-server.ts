// The limit of the fan-out bench: a bare `ws` server that broadcasts the very bytes a pod sends, serialised
// once, with nothing between. Told by its parent: {perRoom, payments, text}.
import { WebSocketServer, type WebSocket } from 'ws'

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
const sockets: WebSocket[] = []
server.on('connection', socket => {
  sockets.push(socket)
  // Enough of the protocol for the clients of the bench.
  socket.send('0{}')
  socket.on('message', (data: Buffer) => {
    const text = data.toString()
    if (text === '40') socket.send('40{}')
    else if (text.startsWith('42')) socket.send('42["ack",{}]')
  })
  socket.on('close', () => sockets.splice(sockets.indexOf(socket), 1))
})
server.on('listening', () => process.send!({ port: (server.address() as { port: number }).port }))

interface Order {
  perRoom: number
  payments: number
  text: string
}

/**
 * Payments of one turn of the event loop: as many as a pod gets in one message of Redis. All in one turn would be
 * another task: what is written to a socket twice in a turn leaves in one system call, and a checkout page gets
 * one payment.
 */
const PORTION = 64

let turn = 0
const send = (bytes: Buffer, perRoom: number, payments: number) => {
  const rooms = sockets.length / perRoom
  for (let payment = 0; payment < Math.min(payments, PORTION); payment++) {
    const first = (turn++ % rooms) * perRoom
    for (let n = 0; n < perRoom; n++) sockets[first + n]!.send(bytes, { binary: false })
  }
  if (payments > PORTION) setImmediate(send, bytes, perRoom, payments - PORTION)
}
process.on('message', ({ perRoom, payments, text }: Order) => send(Buffer.from(text), perRoom, payments))
process.on('disconnect', () => process.exit())
