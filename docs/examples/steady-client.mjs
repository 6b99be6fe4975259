// A client that learns of every payment once and in order, whatever happens to connections, pods and Redis.
//   node docs/examples/steady-client.mjs http://127.0.0.1:3002 order-42 [last seq it knows]
import { io } from 'socket.io-client'

const [baseUrl, trackingId, known = '0'] = process.argv.slice(2)
let last = Number(known) // keep it, and the epoch, wherever you keep your orders
let epoch, resume
const early = new Map() // pushed before their turn

function apply(payment) {
  last = payment.seq
  // Anybody can pay with your memo: check recipient, tokenMint and amountString before you ship.
  console.log(`payment ${payment.seq}: ${payment.amountString} to ${payment.recipient}`)
}

function applyEarly() {
  for (let next; (next = early.get(last + 1)); early.delete(next.seq)) apply(next)
  for (const seq of early.keys()) if (seq <= last) early.delete(seq)
}

const { origin, pathname } = new URL(baseUrl) // it may have a path, behind a proxy
const socket = io(origin, { path: `${pathname.replace(/\/$/, '')}/ws/v1`, transports: ['websocket'] })

async function catchUp() {
  const reply = await socket
    .timeout(10_000)
    .emitWithAck('subscribe', { trackingId, since: last, epoch, resume })
    .catch(() => ({ ok: false }))
  if (!reply.ok) return setTimeout(() => socket.connected && catchUp(), 500 + Math.random() * 1_000)
  if (!reply.recovered) {
    // Another database, or it lost what we had seen: begin anew, and compare with GET /v1/onetime.
    last = 0
    epoch = reply.epoch
    return catchUp()
  }
  ;({ epoch, resume } = reply)
  reply.replay.filter(({ seq }) => seq > last).forEach(apply)
  if (reply.more) return catchUp()
  applyEarly()
}

socket.on('connect', catchUp)
socket.on('payment', ({ data }) => {
  if (data.seq > last) early.set(data.seq, data)
  applyEarly()
  // Before the first acknowledgement this waits for it; later the service fills a hole by itself.
})
socket.on('connect_error', () => {
  // Refused, because this address has too many connections: Socket.IO tries again only what it could not reach.
  if (!socket.active) setTimeout(() => socket.connect(), 1_000 + Math.random() * 4_000)
})
socket.on('reconnect', ({ data }) => {
  // The pod is going away: come again at the time it says, not with everybody else.
  setTimeout(() => socket.disconnect().connect(), data.afterMs)
})
