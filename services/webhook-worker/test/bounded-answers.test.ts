// A receiver may send anything, and as fast as it can: the worker reads 128 KiB of an answer.
import { createServer as createPlainServer, type Server, type Socket } from 'node:net'
import { readFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:tls'
import { listen } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { ANSWER_BYTES } from '../src/requests/bound-answers.js'
import { openConnections } from '../src/requests/connections.js'
import { openDeadlines } from '../src/requests/deadlines.js'
import { sendOne } from './support/send-one.js'

const fixture = (name: string) =>
  readFileSync(new URL(`../../../test/fixtures/tls/${name}`, import.meta.url), 'utf8')
const PLENTY = 64 * 1_048_576
/** What the kernels of both sides and the streams of Node may hold beside what was read. */
const ON_THE_WAY = 16 * 1_048_576

/** Sends a beginning, and then pieces until the worker has had enough or the plenty has left. */
async function openFlood(t: Test, { isTls = false, begin = '', piece = '' }) {
  let bytes = 0
  const onSocket = (socket: Socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(begin)
      const more = piece.repeat(Math.max(1, Math.floor(65_536 / piece.length)))
      const flood = () => {
        while (bytes < PLENTY && !socket.destroyed) {
          bytes += more.length
          if (!socket.write(more)) return void socket.once('drain', flood)
        }
      }
      flood()
    })
  }
  const server: Server = isTls
    ? createTlsServer({ key: fixture('key.pem'), cert: fixture('cert.pem') }, onSocket)
    : createPlainServer(onSocket)
  const port = await listen(t, server)
  const connections = openConnections({ timeoutMs: 30_000, trustOnly: fixture('cert.pem') })
  t.teardown(() => connections.close())
  const endpointUrl = `${isTls ? 'https' : 'http'}://hooks.example:${port}/`
  const answer = await sendOne(endpointUrl, { connections, deadlines: openDeadlines(30_000) })
  t.ok(bytes < ON_THE_WAY, `${bytes} bytes left the receiver`)
  return answer
}

const OK = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
const FLOODS = {
  'a status text': { begin: 'HTTP/1.1 200 ', piece: 'x', error: 'answer too long' },
  'interim answers': { piece: 'HTTP/1.1 102 P\r\n\r\n', error: 'answer too long' },
  'interim answers with headers': {
    piece: `HTTP/1.1 103 E\r\nlink: ${'x'.repeat(8_000)}\r\n\r\n`,
    error: 'answer too long',
  },
  headers: { begin: 'HTTP/1.1 200 OK\r\n', piece: 'a: b\r\n', error: 'unreachable' },
  'a chunk extension': { begin: `${OK}1;`, piece: 'x' },
  'chunk extensions': { begin: OK, piece: `1;${'x'.repeat(8_000)}\r\nx\r\n` },
  trailers: { begin: `${OK}0\r\n`, piece: 'a: b\r\n' },
  'a body': { begin: OK, piece: '1\r\nx\r\n' },
}

for (const isTls of [false, true])
  for (const [what, { error, ...flood }] of Object.entries<{ begin?: string; piece: string; error?: string }>(
    FLOODS,
  ))
    t.test(`${what} without end${isTls ? ' by TLS' : ''}`, async t => {
      const answer = await openFlood(t, { isTls, ...flood })
      if (error) t.match(answer, { outcome: 'refused', error, statusCode: null })
      else
        t.ok(
          answer.statusCode === 200 || answer.error === 'unreachable',
          JSON.stringify(answer).slice(0, 200),
        )
    })

t.test('each answer of a kept connection is counted alone', async t => {
  let requests = 0
  const sockets = new Set<Socket>()
  const server = createPlainServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', chunk => {
      if (!chunk.toString('latin1').endsWith('{}')) return
      requests++
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-length: 50000\r\nkeep-alive: timeout=60\r\n\r\n${'x'.repeat(50_000)}`,
      )
    })
  })
  const endpointUrl = `http://127.0.0.1:${await listen(t, server)}/`
  const connections = openConnections({ timeoutMs: 30_000 })
  t.teardown(() => connections.close())
  const options = { connections, deadlines: openDeadlines(30_000) }
  const answers = Math.ceil((3 * ANSWER_BYTES) / 50_000)
  for (let n = 0; n < answers; n++) t.match(await sendOne(endpointUrl, options), { outcome: 'accepted' })
  t.equal(requests, answers)
  t.ok(sockets.size < answers, `${sockets.size} connections for ${answers} answers`)
})
