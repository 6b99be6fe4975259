// The endpoint of the webhook bench, in a process of its own: takes every POST, answers 200, and counts.
// GET /count answers how many, GET /hang and /refuse paths behave as they are called.
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
    response.end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '0.0.0.0', () => process.send({ port: server.address().port }))
process.on('disconnect', () => process.exit())
