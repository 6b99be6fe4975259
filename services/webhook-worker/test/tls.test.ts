import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import t from 'tap'
import { openConnections } from '../src/requests/connections.js'
import { sendOne } from './support/send-one.js'

const read = (file: string) =>
  readFileSync(new URL(`../../../test/fixtures/tls/${file}`, import.meta.url), 'utf8')
const cert = read('cert.pem')

t.test('certificates are checked against the name, at the pinned address', async t => {
  const names: unknown[] = []
  const server = createServer({ key: read('key.pem'), cert }, (request, response) => {
    names.push((request.socket as TLSSocket).servername, request.headers.host)
    response.end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const send = async (host: string, trustOnly?: string) => {
    const connections = openConnections({
      timeoutMs: 2_000,
      ...(trustOnly === undefined ? {} : { trustOnly }),
    })
    const answer = await sendOne(`https://${host}:${port}/`, { connections })
    await connections.close()
    return answer
  }
  t.match(await send('hooks.example', cert), { outcome: 'accepted', statusCode: 200 })
  t.strictSame(
    names,
    ['hooks.example', `hooks.example:${port}`],
    'SNI and Host are the name, not the address',
  )
  t.match(await send('hooks.example'), { outcome: 'refused', error: 'tls' }, 'an issuer nobody knows')
  t.match(await send('other.example', cert), { outcome: 'refused', error: 'tls' }, "another's certificate")
  t.equal(names.length, 2, 'nothing was sent to either')
})
