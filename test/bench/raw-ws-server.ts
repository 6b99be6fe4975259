// The limit of the fan-out bench: a bare `ws` server that broadcasts the very bytes a pod sends, serialised
// once, with nothing between. Told by its parent: {rooms, perRoom, payments, bytes}; says when it is done.
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

let turn = 0
process.on('message', ({ perRoom, payments, text }: Order) => {
  const bytes = Buffer.from(text)
  const rooms = sockets.length / perRoom
  for (let payment = 0; payment < payments; payment++) {
    const first = (turn++ % rooms) * perRoom
    for (let n = 0; n < perRoom; n++) sockets[first + n]!.send(bytes, { binary: false })
  }
})
process.on('disconnect', () => process.exit())
