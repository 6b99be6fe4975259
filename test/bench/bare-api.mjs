// The limit of pages: bare Fastify handlers, pg with prepared statements, answers put together by hand. No
// validation, limits, headers, metrics or log. A process of its own, as the API is.
import Fastify from 'fastify'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })

const writeEvent = row =>
  `{"id":"${row.id}","slot":${row.slot},"signature":"${row.signature}","eventName":"${row.name}","data":${row.data},"timestamp":"${row.occurred_at.toISOString()}"}`

const app = Fastify()
const answer = (path, name, where) => {
  const text = `select id, slot, event_index, signature, name, data::text as data, occurred_at from events ${where}
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
