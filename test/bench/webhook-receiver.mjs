// The endpoint of the webhook bench, in a process of its own: takes every POST, answers 200, and counts.
// GET /count answers how many; /hang and /refuse behave as they are called, and /after-100 answers after 100 ms.
import { createServer } from 'node:http'

let count = 0
const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end(String(count))
    return
  }
  request.resume()
  request.on('end', () => {
    count++
    if (request.url === '/hang') return
    response.statusCode = request.url === '/refuse' ? 500 : 200
    const afterMs = Number(/^\/after-(\d+)$/.exec(request.url)?.[1] ?? 0)
    if (afterMs > 0) setTimeout(() => response.end(), afterMs)
    else response.end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '0.0.0.0', () => process.send({ port: server.address().port }))
process.on('disconnect', () => process.exit())
