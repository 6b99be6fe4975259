// A webhook endpoint with Fastify.
//   npm install fastify standardwebhooks
//   WEBHOOK_SECRET=whsec_… PORT=8080 node fastify-receiver.mjs
import Fastify from 'fastify'
import { Webhook } from 'standardwebhooks'

/** Ends with a sentence. */
const stop = problem => {
  console.error(problem)
  process.exit(1)
}
const { WEBHOOK_SECRET, PORT = '8080' } = process.env
const portProblem = ({ code, message }) =>
  stop(
    code === 'EADDRINUSE' ? `Port ${PORT} is taken: end what listens there, or set another PORT.` : message,
  )

let webhook
try {
  webhook = new Webhook(WEBHOOK_SECRET)
} catch {
  stop('WEBHOOK_SECRET is empty or damaged: npm run --silent listen -- --print-secret prints it.')
}
const seen = new Set() // in your service: a table with one row per webhook-id
const app = Fastify()

/** Anyone can write any memo: what is not seen, moves the cursor, changes colours or begins a line is shown as its code. */
const printable = text =>
  String(text).replaceAll(
    /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu,
    character => `\\u{${character.codePointAt(0).toString(16)}}`,
  )

// The raw bytes: JSON that was parsed and written again no longer fits its signature.
app.removeContentTypeParser('application/json')
app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) =>
  done(null, body),
)

app.post('/hooks', (request, reply) => {
  let message
  try {
    message = webhook.verify(request.body, request.headers)
  } catch {
    return reply.code(401).send()
  }
  const id = request.headers['webhook-id']
  if (!seen.has(id)) {
    seen.add(id)
    // Anyone can write any memo: check recipient, tokenMint and amountString before you ship.
    console.log(printable(`${message.type} ${message.data.trackingId} ${message.data.amountString}`))
  }
  return reply.code(204).send()
})

await app.listen({ port: Number(PORT), host: '127.0.0.1' }).catch(portProblem)
console.log(`listening ${app.server.address().port}`)
