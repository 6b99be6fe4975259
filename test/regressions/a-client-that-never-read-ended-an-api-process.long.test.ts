// Sixty connections that each asked for nine pages of a thousand events, and never read an answer, ended a process
// of 512 MiB within the default limits.
import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { findFreePort } from '@payment-tracking/stack'
import { createDatabase, startService, useRedis, waitFor, type TestContext } from '@payment-tracking/testkit'
import t from 'tap'
import { makeSigningKeys } from '../../services/api/test/gateway-auth/make-signing-keys.js'

const CONNECTIONS = 60
const PIPELINED = 9
const EVENT_BYTES = 1_000

async function openApi(t: TestContext, settings: Record<string, string>) {
  const database = await createDatabase(t)
  await database.pool.query(
    `with head as (update stream_head set position = position + 1000 returning position)
     insert into events (id, position, slot, signature, event_index, name, data, commitment, occurred_at, fingerprint, stream_sequence)
     select gen_random_uuid(), position - 1000 + n, n, 's' || n, 0, 'Other',
            json_build_object('text', repeat('x', ${EVENT_BYTES})), 'confirmed', now(), gen_random_uuid(), n
       from head, generate_series(1, 1000) n`,
  )
  const port = await findFreePort()
  const service = await startService(t, 'api', {
    DATABASE_URL: database.url,
    REDIS_URL: (await useRedis(t)).url,
    JWT_PRIVATE_KEYS: makeSigningKeys(),
    PORT: String(port),
    // However slow the machine is: here it is connections that matter.
    'api.statementTimeoutMs': '30000',
    'api.requestDeadlineMs': '60000',
    ...settings,
  })
  return { service, port }
}

/** A connection that sends and never reads. Between requests empty lines are allowed: it is never idle. */
function openHolder(t: TestContext, port: number, text: string): Socket {
  const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(text))
  socket.pause()
  socket.on('error', () => {})
  const drip = setInterval(() => socket.write('\r\n'), 200)
  t.teardown(() => {
    clearInterval(drip)
    socket.destroy()
  })
  return socket
}

/** One request from another address. @returns its status */
async function ask(port: number, path: string): Promise<number> {
  const sent = request({ port, host: '127.0.0.1', localAddress: '127.0.0.2', path }).end()
  const [answer] = (await once(sent, 'response')) as [import('node:http').IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  return answer.statusCode!
}

t.test('a client that never reads is bounded, closed, and in nobody’s way', { timeout: 180_000 }, async t => {
  const { service, port } = await openApi(t, {
    // What Node takes by itself in a container of 512 MiB.
    NODE_OPTIONS: '--max-old-space-size=256',
    'api.answerStallMs': '3000',
  })
  const get = 'GET /v1/events?limit=1000 HTTP/1.1\r\nhost: x\r\n\r\n'
  const holders = Array.from({ length: CONNECTIONS }, () => openHolder(t, port, get.repeat(PIPELINED)))
  const read = async (name: string) => (await service.figure(name)) || 0
  let mostBytes = 0
  await waitFor(
    async () => {
      mostBytes = Math.max(mostBytes, await read('process_resident_memory_bytes'))
      const unread = await read('payment_tracking_http_unread_bytes')
      t.equal(await ask(port, '/v1/events?limit=10'), 200, 'another client is answered')
      const closed = await read('payment_tracking_http_connections_closed_total')
      return closed >= 10 && unread === 0
    },
    { what: 'every connection that holds an answer is closed', timeoutMs: 120_000, intervalMs: 500 },
  )
  t.ok(mostBytes < 450 * 1024 * 1024, `at most ${Math.round(mostBytes / 1024 / 1024)} MiB resident`)
  // Those whose turn has not come would get answers yet, and the time to read them: longer than a stop may take.
  for (const holder of holders) holder.destroy()
  t.equal(await service.stop(), 0)
})

t.test('a connection that sends requests without end and reads nothing is cut off', async t => {
  const { service, port } = await openApi(t, {})
  openHolder(t, port, 'GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(500))
  await waitFor(async () => (await service.figure('payment_tracking_http_connections_closed_total')) === 1, {
    what: 'the connection is cut off',
  })
  t.equal(await ask(port, '/v1/health'), 200)
  t.equal(await service.stop(), 0)
})

t.test('answers on one connection come in order', { timeout: 180_000 }, async t => {
  const { port } = await openApi(t, { 'api.requestsAtOncePerAddress': '1' })
  const paths = ['/v1/events?limit=1000', '/v1/health', '/v1/events?limit=1', '/v1/events/names', '/nowhere']
  const socket = connect({ port, host: '127.0.0.1' })
  t.teardown(() => socket.destroy())
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  socket.write(paths.map(path => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`).join(''))
  await waitFor(() => text.includes('NOT_FOUND'), { what: 'the last answer', timeoutMs: 90_000 })
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  t.same(statuses, ['200', '200', '200', '200', '404'])
})
