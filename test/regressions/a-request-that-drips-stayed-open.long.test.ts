// A body of which one byte came now and then was open after 150 seconds, on every port.
import { connect } from 'node:net'
import { ARRIVAL_TIMEOUT_MS } from '@payment-tracking/runtime'
import { findFreePort } from '@payment-tracking/stack'
import { createDatabase, startService, useNats, useRedis } from '@payment-tracking/testkit'
import t from 'tap'
import { makeSigningKeys } from '../../services/api/test/gateway-auth/make-signing-keys.js'

const DRIP_MS = 500

/** Sends a head, then byte after byte. @returns what was answered, and after how many bytes the connection was closed */
const drip = (port: number, head: string) =>
  new Promise<{ answer: string; bytes: number }>(resolve => {
    let bytes = 0
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(head))
    const timer = setInterval(() => {
      bytes += 1
      socket.write('x')
    }, DRIP_MS)
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk))
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(timer)
      resolve({ answer, bytes })
    })
  })

t.test('every port closes a request that does not arrive in time', { timeout: 90_000 }, async t => {
  const database = await createDatabase(t)
  const common = {
    DATABASE_URL: database.url,
    REDIS_URL: (await useRedis(t)).url,
  }
  const ports = { api: await findFreePort(), ops: await findFreePort(), realtime: await findFreePort() }
  const [api] = await Promise.all([
    startService(t, 'api', { ...common, PORT: String(ports.api), JWT_PRIVATE_KEYS: makeSigningKeys() }),
    startService(t, 'ops', {
      ...common,
      NATS_URL: (await useNats(t)).url,
      OPS_PORT: String(ports.ops),
      OPS_TOKEN: 'a token of more than 16 characters',
    }),
    startService(t, 'realtime', { ...common, PORT: String(ports.realtime) }),
  ])
  const management = Number(new URL(api.managementUrl).port)
  const head = (path: string) =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 50000\r\n\r\n`
  const verify = '/v1/gateway/So11111111111111111111111111111111111111112/auth/verify'
  const requests = [
    ['a body, api', ports.api, head(verify)],
    ['a body that no route reads, api', ports.api, head('/nowhere')],
    ['headers, api', ports.api, 'GET / HTTP/1.1\r\nx: '],
    [
      'a body, ops',
      ports.ops,
      head('/sign-in').replace('application/json', 'application/x-www-form-urlencoded'),
    ],
    ['headers, ops', ports.ops, 'GET / HTTP/1.1\r\nx: '],
    ['a body, realtime', ports.realtime, head('/ws/v1/')],
    ['headers, realtime', ports.realtime, 'GET /ws/v1/ HTTP/1.1\r\nx: '],
    ['a body, management', management, head('/metrics')],
    ['headers, management', management, 'GET /metrics HTTP/1.1\r\nx: '],
  ] as const
  await Promise.all(
    requests.map(async ([what, port, text]) => {
      const { answer, bytes } = await drip(port, text)
      t.ok(bytes < (2 * ARRIVAL_TIMEOUT_MS) / DRIP_MS, `${what}: closed after ${bytes} bytes`)
      if (what.startsWith('headers')) t.match(answer, /^HTTP\/1\.1 408 [^]*"code":"REQUEST_TIMEOUT"/, what)
    }),
  )
})
