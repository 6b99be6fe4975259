// The endpoint of the rows of webhooks, in a process of its own: takes every POST and answers 200 after a millisecond.
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => setTimeout(() => response.end(), 1))
})
server.keepAliveTimeout = 60_000
server.listen(0, '0.0.0.0', () => process.send({ port: server.address().port }))
process.on('disconnect', () => process.exit())
