// One definition of an endpoint's health, in every record of a webhook.
import { waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { addSignedIn, openGatewayApi } from '../gateway-auth/open-gateway-api.js'

const api = await openGatewayApi(t)
const shop = await addSignedIn(api)
const { pool } = api.database

t.test('an endpoint is judged by what it accepts of its newest requests', async t => {
  // The first order of a process is refused where the machine is too busy to begin it in time.
  const webhook = await waitFor(async () => {
    const made = await shop.addWebhook()
    return made.status === 201 && made.body
  })
  const never = { health: 'untried', requests: 0, acceptedRequests: 0, acceptedRate: null }
  t.match(webhook, { ...never, lastAcceptedAt: null, lastAnswer: null })
  const read = async () => {
    const { body } = await api.call('GET', `/v1/webhooks/${webhook.id}`, { token: shop.token })
    const { body: list } = await api.call('GET', '/v1/webhooks', { token: shop.token })
    t.same(list, [body], 'the list says the same')
    return body
  }
  const count = (ago: string, accepted: boolean, requests: number) =>
    pool.query(
      `insert into webhook_hours (webhook_id, start, accepted, duration, requests)
       values ($1, date_trunc('hour', now() - $2::interval, 'UTC'), $3, 4, $4)`,
      [webhook.id, ago, accepted, requests],
    )
  const attempt = (status: number, state: string, ago: string) =>
    pool.query(
      `with d as (insert into deliveries (webhook_id, message_id, type, message, state, attempts_made, finished_at)
                  values ($1, 'm' || $2::int, 'payment.executed', 0, $3::text, 1,
                          case when $3 = 'delivered' then now() - $4::interval end) returning id)
       insert into delivery_attempts (delivery_id, number, finished_at, outcome, status_code, error, response_body)
       select id, 1, now() - $4::interval, case when $3 = 'delivered' then 'accepted' else 'refused' end, $2, 'status',
              repeat('x', 4096) from d`,
      [webhook.id, status, state, ago],
    )
  await count('0 h', false, 4)
  t.match(await read(), { health: 'healthy', acceptedRate: 0, requests: 4 }, 'four are too few to judge')
  await count('2 h', false, 121)
  await attempt(400, 'pending', '1 min')
  t.match(await read(), {
    health: 'failing',
    failingSince: null,
    requests: 125,
    acceptedRequests: 0,
    acceptedRate: 0,
    lastAcceptedAt: null,
    lastAnswer: { accepted: false, answer: 'HTTP 400', deliveryId: Number, body: 'x'.repeat(200) },
  })
  await count('0 h', true, 6)
  await attempt(204, 'delivered', '0 s')
  const recovered = await read()
  t.match(recovered, { health: 'healthy', acceptedRequests: 6, lastAnswer: { answer: 'HTTP 204' } })
  t.ok(Date.now() - Date.parse(recovered.lastAcceptedAt) < 60_000)
  await count('25 h', false, 1_000)
  t.equal((await read()).requests, 131, 'a day')
  await api.call('PUT', `/v1/webhooks/${webhook.id}`, { token: shop.token, body: { active: false } })
  t.match(await read(), { health: 'off' })
})
