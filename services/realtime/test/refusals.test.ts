import { connect } from 'node:net'
import { sayTo } from '@payment-tracking/testkit'
import t from 'tap'
import { usePods } from './use-pods.js'

const UPGRADE = 'connection: upgrade\r\nupgrade: websocket\r\n'
const HANDSHAKE = `${UPGRADE}sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n`
const host = 'host: x\r\n'
const QUERY = 'EIO=4&transport=websocket'

t.test('every request that does not become a connection is refused in the same shape', async t => {
  const pods = await usePods(t, {
    CORS_ORIGIN: 'https://shop.example',
    MAX_CONNECTIONS_PER_ADDRESS: '1',
  })
  const pod = await pods.start()
  const port = Number(new URL(pod.url).port)
  const refusalOf = async (first: string, headers = '') => {
    const answer = await sayTo(port, `${first}\r\n${headers}\r\n`)
    const [head = '', body = ''] = answer.split('\r\n\r\n')
    t.match(JSON.parse(body), {
      success: false,
      error: /^[A-Z].*\.$/,
      code: String,
      timestamp: Number,
      requestId: String,
    })
    t.match(head, /content-type: application\/json/i)
    t.match(head, new RegExp(`x-request-id: ${JSON.parse(body).requestId}`, 'i'))
    return `${head.split(' ')[1]} ${JSON.parse(body).code}`
  }
  const keyless = `${UPGRADE}sec-websocket-version: 13\r\n`
  const other = `${HANDSHAKE}origin: https://evil.example\r\n`
  for (const [what, request, headers, refusal] of [
    ['a wrong path', 'GET /nowhere', '', '404 NOT_FOUND'],
    ['a path that begins like ours', 'GET /ws/v1x', '', '404 NOT_FOUND'],
    ['polling', 'GET /ws/v1/?EIO=4&transport=polling', '', '400 INVALID_REQUEST'],
    ['polling without the slash', 'GET /ws/v1?EIO=4&transport=polling', '', '400 INVALID_REQUEST'],
    ['another method', 'POST /ws/v1/?EIO=4', 'content-length: 0\r\n', '405 METHOD_NOT_ALLOWED'],
    ['long headers', 'GET /', `x: ${'y'.repeat(20_000)}\r\n`, '431 HEADERS_TOO_LARGE'],
    ['an upgrade elsewhere', 'GET /nowhere', HANDSHAKE, '404 NOT_FOUND'],
    ['an upgrade to h2c', 'GET /ws/v1/', 'connection: upgrade\r\nupgrade: h2c\r\n', '426 UPGRADE_REQUIRED'],
    ['no transport', 'GET /ws/v1/?EIO=4', HANDSHAKE, '400 INVALID_REQUEST'],
    ['an older protocol', 'GET /ws/v1/?EIO=3&transport=websocket', HANDSHAKE, '400 INVALID_REQUEST'],
    ['a session that is none', `GET /ws/v1/?${QUERY}&sid=x`, HANDSHAKE, '400 INVALID_REQUEST'],
    ['no key', `GET /ws/v1/?${QUERY}`, keyless, '400 INVALID_REQUEST'],
    ['another origin', `GET /ws/v1/?${QUERY}`, other, '403 FORBIDDEN'],
  ] as const)
    t.equal(await refusalOf(`${request} HTTP/1.1`, host + headers), refusal, what)
  t.equal(await refusalOf('rubbish'), '400 INVALID_REQUEST', 'no HTTP')
  const management = Number(new URL(pod.service.managementUrl).port)
  const answer = await sayTo(management, `GET /nowhere HTTP/1.1\r\n${host}connection: close\r\n\r\n`)
  t.match(answer, /^HTTP\/1\.1 404 [^]*"success":false[^]*"code":"NOT_FOUND"/)

  const open = connect(port, '127.0.0.1', () =>
    open.write(`GET /ws/v1?${QUERY} HTTP/1.1\r\n${host}${HANDSHAKE}\r\n`),
  )
  t.teardown(() => open.destroy())
  let text = ''
  await new Promise<void>(resolve =>
    open.on('data', (chunk: Buffer) => ((text += chunk.toString('latin1')), resolve())),
  )
  t.match(text, /^HTTP\/1\.1 101 /, 'without the slash a connection opens all the same')
  const second = connect(port, '127.0.0.1', () =>
    second.write(`GET /ws/v1/?${QUERY} HTTP/1.1\r\n${host}${HANDSHAKE}\r\n`),
  )
  t.teardown(() => second.destroy())
  await new Promise(resolve => second.once('data', resolve))
  const third = await refusalOf(`GET /ws/v1/?${QUERY} HTTP/1.1`, host + HANDSHAKE)
  t.equal(third, '429 TOO_MANY_CONNECTIONS')
})
