import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { openRedis } from '@payment-tracking/redis'
import { waitFor } from '@payment-tracking/testkit'
import { measureOf, type Bench, type BenchContext, type Row } from './bench.js'
import { paymentFor } from './socket-load.js'

/** Realtime pods, as far as Redis can tell: connections that subscribe to the channel of payments. */
const PODS = [1, 10, 100]
/** Announcements on their way: ingest relays a committed batch while Postgres stores the next one. */
const AT_ONCE = 2

/** Opens a subscriber that counts bytes. @returns its socket */
async function subscribe(url: string, pattern: string): Promise<Socket> {
  const { hostname, port, password } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  if (password) socket.write(`AUTH ${decodeURIComponent(password)}\r\n`)
  socket.write(`PSUBSCRIBE ${pattern}\r\n`)
  // The answer to the subscription.
  await once(socket, 'data')
  socket.resume()
  return socket
}

async function measure(context: BenchContext, pods: number): Promise<{ cpu: number[]; bytes: number }> {
  const { redisUrl } = context.servers
  const environment = `bench-${randomBytes(3).toString('hex')}`
  const redis = openRedis({ REDIS_URL: redisUrl, ENVIRONMENT: environment })
  context.teardown(() => redis.close())
  await once(redis.commands, 'ready')
  const sockets = await Promise.all(
    Array.from({ length: pods }, () => subscribe(redisUrl, `*${environment}*`)),
  )
  const cpuSeconds = async () => {
    const info = await redis.commands.info('cpu')
    const read = (name: string) => Number(new RegExp(`^${name}:(.*)`, 'm').exec(info)![1])
    return read('used_cpu_user') + read('used_cpu_sys')
  }
  const payments = context.quick ? 100 : 4_000
  const announce = (seq: number) =>
    redis.announce({
      epoch: 'e',
      payments: [paymentFor(`order-${String(seq).padStart(8, '0')}`, 1_000 + (seq % 9_000))],
    })
  const read = () => sockets.reduce((sum, socket) => sum + socket.bytesRead, 0)
  const cpu: number[] = []
  let bytes = 0
  for (let round = 0; round <= (context.quick ? 1 : 5); round++) {
    const [before, readBefore] = [await cpuSeconds(), read()]
    for (let seq = 0; seq < payments; seq += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => announce(seq + at)))
    // Redis keeps the order: whoever has as many bytes as the others has them all.
    const isRead = () => new Set(sockets.map(({ bytesRead }) => bytesRead)).size === 1
    await waitFor(() => read() > readBefore && isRead(), { what: 'the subscribers' })
    if (round > 0) cpu.push((((await cpuSeconds()) - before) * 1e6) / payments)
    bytes = (read() - readBefore) / payments / pods
  }
  for (const socket of sockets) socket.destroy()
  return { cpu, bytes }
}

export const bench: Bench = {
  name: 'redis-fanout',
  about:
    'CPU of Redis for a payment that it sends to 1, 10 and 100 subscribers; `npm run operate -- sizing` computes with it',
  async run(context) {
    const rows: Row[] = []
    for (const pods of PODS) {
      const { cpu, bytes } = await measure(context, pods)
      rows.push({
        subject: `CPU of Redis for a payment, ${pods} subscribers`,
        unit: 'µs',
        largerIsBetter: false,
        measured: measureOf(cpu),
        note: `${Math.round(bytes)} B to each`,
      })
    }
    return rows
  },
}
