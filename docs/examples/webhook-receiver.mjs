// A webhook endpoint: verifies, dedupes, answers fast, and notices gaps.
//   npm install standardwebhooks
//   WEBHOOK_SECRET=whsec_… PORT=8080 node webhook-receiver.mjs
import { createServer } from 'node:http'
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
/** In your service these two are tables: one row a webhook-id, one row a tracking ID. */
const seen = new Set()
const lastSeq = new Map()

/** Anyone can write any memo: what is not seen, moves the cursor, changes colours or begins a line is shown as its code. */
const printable = text =>
  String(text).replaceAll(
    /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu,
    character => `\\u{${character.codePointAt(0).toString(16)}}`,
  )

/** What you do with a payment. Anyone can write any memo: check recipient, mint and amount first. */
function onPayment(payment) {
  const { trackingId, amountString, recipient, tokenMint, seq } = payment
  const name = printable(trackingId)
  console.log(`payment ${seq} of ${name}: ${amountString}\n  of ${tokenMint}\n  to ${recipient}`)
  const expected = (lastSeq.get(trackingId) ?? 0) + 1
  // Deliveries may overtake each other. seq counts without holes, so what is missing is known by number.
  if (seq > expected) console.log(`still to come for ${name}: ${expected} to ${seq - 1}`)
  lastSeq.set(trackingId, Math.max(seq, expected - 1))
}

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    const answer = status => response.writeHead(status).end()
    let message
    try {
      // The raw bytes: JSON that was parsed and written again no longer fits its signature.
      message = webhook.verify(Buffer.concat(chunks).toString('utf8'), request.headers)
    } catch {
      return answer(401)
    }
    // The same event always has the same id, however often and wherever it is delivered.
    const id = request.headers['webhook-id']
    if (!seen.has(id)) {
      seen.add(id)
      if (message.type === 'payment.executed') onPayment(message.data)
      else console.log(`message ${message.type}`)
    }
    answer(204) // at once: what takes long is done after the answer
  })
})
server.once('error', portProblem)
server.listen(Number(PORT), '127.0.0.1', () => console.log(`listening ${server.address().port}`))
