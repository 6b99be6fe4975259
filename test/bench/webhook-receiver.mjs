// The endpoint of the webhook bench, in a process of its own: takes every POST and answers 200.
// /hang and /refuse behave as they are called, and /after-100 answers after 100 ms.
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
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
