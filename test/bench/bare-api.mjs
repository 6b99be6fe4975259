// The limit of pages: bare Fastify handlers, pg with prepared statements, answers put together by hand. No
// validation, limits, headers, metrics or log. A process of its own, as the API is.
import Fastify from 'fastify'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })

/** Rows hold the data of a payment without what its columns hold. */
const dataOf = ({ data, payment_policy, gateway, amount, paid_at, record_id }) => {
  if (data[0] !== '[') return data
  const memo = `${data.slice(1, -1)}${',0'.repeat(64 - data.split(',').length)}`
  return `{"payment_policy":"${payment_policy}","gateway":"${gateway}","amount":"${amount}","timestamp":"${paid_at}","memo":[${memo}],"record_id":${record_id}}`
}

const writeEvent = row =>
  `{"id":"${row.id}","slot":${row.slot},"signature":"${row.signature}","eventName":"${row.name}","data":${dataOf(row)},"timestamp":"${row.occurred_at.toISOString()}"}`

const app = Fastify()
const answer = (path, name, where) => {
  const text = `select id, slot, event_index, signature, name, data::text as data, occurred_at, payment_policy, gateway, amount, paid_at,
    record_id from events ${where}
    order by occurred_at desc, slot desc, event_index desc, id desc limit 100`
  app.get(path, async (_request, reply) => {
    const { rows } = await pool.query({ name, text })
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(`[${rows.map(writeEvent).join(',')}]`)
  })
}
answer('/v1/events', 'newest', '')
answer('/v1/events/payments', 'payments', `where name = 'PaymentRecord'`)

await app.listen({ port: 0, host: '127.0.0.1' })
process.send({ port: app.server.address().port })
