// The limit of reads: bare Fastify handlers, pg with prepared statements, answers put together by hand. No
// validation, limits, headers, metrics or log. A process of its own, as the API is.
import Fastify from 'fastify'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
const ask = async (name, text, values) => (await pool.query({ name, text, values })).rows
const quoted = text => (text === null ? 'null' : `"${text}"`)

const writeEvent = row =>
  `{"id":"${row.id}","slot":${row.slot},"signature":"${row.signature}","eventName":"${row.name}","data":${row.data},"timestamp":"${row.occurred_at.toISOString()}"}`
const EVENT = 'select id, slot, event_index, signature, name, data::text as data, occurred_at from events'
const NEWEST = 'order by occurred_at desc, slot desc, event_index desc, id desc limit 100'

const events = ({ gateway, signature, eventName, cursor }) => {
  if (gateway !== undefined) return ask('of-gateway', `${EVENT} where gateway = $1 ${NEWEST}`, [gateway])
  if (signature !== undefined)
    return ask('of-signature', `${EVENT} where signature = $1 ${NEWEST}`, [signature])
  if (eventName !== undefined) return ask('of-name', `${EVENT} where name = $1 ${NEWEST}`, [eventName])
  if (cursor === undefined) return ask('newest', `${EVENT} ${NEWEST}`, [])
  const [, at, slot, index, id] = Buffer.from(cursor, 'base64url').toString().split(' ')
  const key = [new Date(Number(at)), slot, index, id]
  return ask('after', `${EVENT} where (occurred_at, slot, event_index, id) < ($1, $2, $3, $4) ${NEWEST}`, key)
}

// A kept plan must know how many are wanted; with a parameter Postgres plans each time anew.
const oneTime = limit => `
  select tracking_id, signature, slot, occurred_at, payment_policy, gateway, amount, record_id from events
   where tracking_id = $1 and name = 'PaymentRecord'
   order by occurred_at desc, slot desc, record_id desc, id desc limit ${limit}`
const writePayment = row =>
  `{"trackingId":${JSON.stringify(row.tracking_id)},"signature":"${row.signature}","slot":${row.slot},"timestamp":"${row.occurred_at.toISOString()}","paymentPolicy":"${row.payment_policy}","gateway":"${row.gateway}","amount":${row.amount},"memo":${JSON.stringify(row.tracking_id)},"recordId":${row.record_id}}`

const SUBSCRIPTION = `
  select p.*, p.policy_type::text as terms, u.token_mint, u.owner
    from policies p left join user_payments u on u.address = p.user_payment
   where p.live and p.tracking_id = $1 order by p.created_at desc, p.address desc limit 1001`
const writeTerms = text => {
  const [[type, terms]] = Object.entries(JSON.parse(text))
  return `{"${type.toLowerCase()}":{"amount":${terms.amount},"autoRenew":${terms.auto_renew},"maxRenewals":${terms.max_renewals},"paymentFrequency":${JSON.stringify(terms.payment_frequency)},"nextPaymentDue":${terms.next_payment_due}}}`
}
const writeSubscription = row =>
  `{"userPayment":"${row.user_payment}","recipient":"${row.recipient}","gateway":"${row.gateway}","policyId":${row.policy_id},"policyType":${writeTerms(row.terms)},"memo":${JSON.stringify(row.tracking_id)},"totalPaid":${row.total_paid},"createdAt":${row.created_at},"updatedAt":${row.updated_at},"policyAddress":"${row.address}","status":"${row.status}","paymentCount":${row.payment_count},"tokenMint":${quoted(row.token_mint)},"walletPublicKey":${quoted(row.owner)}}`

const TRACE = `
  select e.id, e.tracking_id, e.seq, e.payment_policy, e.gateway, e.amount, e.record_id, e.slot, e.occurred_at, e.paid_at,
         e.stream_sequence, e.position, b.committed_at, b.relayed_at
    from events e left join lateral (
      select committed_at, relayed_at from ingest_batches where first_position <= e.position
       order by first_position desc limit 1) b on true
   where e.signature = $1 and e.name = 'PaymentRecord' order by e.event_index, e.id`

const enveloped = data => `{"success":true,"data":${data},"timestamp":${Date.now()}}`
const app = Fastify()
const send = (reply, text) => reply.header('content-type', 'application/json; charset=utf-8').send(text)

app.get('/v1/events', async (request, reply) =>
  send(reply, `[${(await events(request.query)).map(writeEvent).join(',')}]`),
)
app.get('/v1/events/payments', async (_request, reply) =>
  send(reply, `[${(await events({ eventName: 'PaymentRecord' })).map(writeEvent).join(',')}]`),
)
app.get('/v1/events/names', async (_request, reply) => {
  const rows = await ask('names', 'select distinct name from event_counts where span = 0 order by 1', [])
  return send(reply, `[${rows.map(row => `"${row.name}"`).join(',')}]`)
})
app.get('/v1/events/count', async (_request, reply) => {
  const [row] = await ask('count', 'select sum(count) as count from event_counts where span = 0', [])
  return send(reply, `{"count":${row.count}}`)
})

const writeAmounts = of =>
  of === null
    ? '"totalAmount":null,"averageAmount":null,"minAmount":null,"maxAmount":null'
    : `"totalAmount":${of.total},"averageAmount":${BigInt(of.total) / BigInt(of.count)},"minAmount":${of.min},"maxAmount":${of.max}`
app.get('/v1/events/payments/stats', async (request, reply) => {
  const values = [request.query.gateway ?? '']
  const [[row], tokens] = await Promise.all([
    ask('stats', 'select * from payment_stats where gateway = $1 and span = 0', values),
    ask(
      'tokens',
      'select token_mint, count, total from payment_token_stats where gateway = $1 and span = 0 order by count desc, token_mint',
      values,
    ),
  ])
  const byToken = tokens.map(
    token => `{"tokenMint":"${token.token_mint}","count":${token.count},${writeAmounts(token)}}`,
  )
  // Amounts of different tokens are never added.
  const amounts = writeAmounts(tokens.length > 1 ? null : row)
  return send(
    reply,
    `{"count":${row.count},${amounts},"firstPaymentAt":"${row.first_at.toISOString()}","lastPaymentAt":"${row.last_at.toISOString()}","byToken":[${byToken.join(',')}]}`,
  )
})
app.get('/v1/onetime/:trackingId', async (request, reply) => {
  const limit = Number(request.query.limit ?? 100)
  const rows = await ask(`onetime ${limit}`, oneTime(limit), [request.params.trackingId])
  const data = rows.map(writePayment)
  return send(reply, enveloped(data.length === 1 ? data[0] : `[${data.join(',')}]`))
})
app.get('/v1/subscriptions', async (request, reply) => {
  const rows = await ask('subscription', SUBSCRIPTION, [request.query.trackingId])
  return send(reply, enveloped(`[${rows.map(writeSubscription).join(',')}]`))
})
app.get('/v1/payments/:signature/trace', async (request, reply) => {
  const rows = await ask('trace', TRACE, [request.params.signature])
  return send(reply, JSON.stringify(rows))
})

await app.listen({ port: 0, host: '127.0.0.1' })
process.send({ port: app.server.address().port })
