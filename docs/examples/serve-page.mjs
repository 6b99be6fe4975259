// Serves checkout.html and the Socket.IO client that the page loads.
//   node docs/examples/serve-page.mjs        PORT=8081 is the default
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'

const page = readFileSync(new URL('checkout.html', import.meta.url))
const client = readFileSync(
  fileURLToPath(new URL('../../dist/socket.io.esm.min.js', import.meta.resolve('socket.io-client'))),
)

const server = createServer((request, response) => {
  const isClient = request.url === '/socket.io.js'
  response.setHeader('content-type', isClient ? 'text/javascript' : 'text/html; charset=utf-8')
  response.end(isClient ? client : page)
})
server.once('error', ({ code, message }) => {
  console.error(code === 'EADDRINUSE' ? 'This port is taken: PORT=8082 chooses another.' : message)
  process.exit(1)
})
server.listen(Number(process.env.PORT ?? 8081), '127.0.0.1', () =>
  console.log(`open http://127.0.0.1:${server.address().port}/?trackingId=order-42`),
)
