// The requests to a node, against a real HTTP server: credentials in the address, compressed answers, too large answers.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { listen } from '@payment-tracking/testkit'
import t, { type Test } from 'tap'
import { openJsonPoster } from '../src/nodes/post-json.js'

/** Starts a server. @returns its host and port, and the heads of its requests */
async function serve(t: Test, answer: (response: ServerResponse) => void) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    request.resume().on('end', () => answer(response))
  })
  return { host: `127.0.0.1:${await listen(t, server)}`, requests }
}

function openPoster(t: Test, url: string) {
  const poster = openJsonPoster(url)
  t.teardown(() => poster.close())
  return poster
}

t.test('a user and a password in the address are sent as basic authentication', async t => {
  const { host, requests } = await serve(t, response => response.end('{}'))
  await openPoster(t, `http://us%40er:p%3Aw%C3%A4@${host}/key?a=1`).post('{}')
  await openPoster(t, `http://${host}/key`).post('{}')
  const [named, anonymous] = requests
  const credentials = Buffer.from('us@er:p:wä').toString('base64')
  t.match(named, { url: '/key?a=1', headers: { authorization: `Basic ${credentials}`, host } })
  t.notOk('authorization' in anonymous!.headers, 'nothing is sent without a user')
})

t.test('a compressed answer is read, and the request says that it may be compressed', async t => {
  const { host, requests } = await serve(t, response =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"result":"ä"}')),
  )
  const reply = await openPoster(t, `http://${host}`).post('{}')
  t.same(reply, { statusCode: 200, retryAfterSeconds: 0, body: '{"result":"ä"}' })
  t.equal(requests[0]!.headers['accept-encoding'], 'gzip')
})

t.test('an answer that is no gzip, or grows beyond the limit, is refused', async t => {
  const broken = await serve(t, response =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('plain'),
  )
  await t.rejects(openPoster(t, `http://${broken.host}`).post('{}'), { code: 'Z_DATA_ERROR' })
  // 80 MiB of zeros take 80 KB.
  const bomb = gzipSync(Buffer.alloc(80 * 1_024 * 1_024))
  const large = await serve(t, response => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
  await t.rejects(openPoster(t, `http://${large.host}`).post('{}'), { code: 'ERR_BUFFER_TOO_LARGE' })
})

t.test('a node that limits the rate may say how long to wait', async t => {
  const { host } = await serve(t, response => response.writeHead(429, { 'retry-after': '7' }).end())
  t.match(await openPoster(t, `http://${host}`).post('{}'), { statusCode: 429, retryAfterSeconds: 7 })
})
