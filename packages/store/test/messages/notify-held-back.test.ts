// A webhook whose every request fails is told of, whatever holds its deliveries back.
import { isEndpointFailure } from '@payment-tracking/domain'
import { createDatabase } from '@payment-tracking/testkit'
import t from 'tap'
import { openStore } from '../../src/core/database/open-store.js'
import { notifyFailures } from '../../src/messages/clock/notify-failures.js'

const { url, pool } = await createDatabase(t)
const store = openStore({ DATABASE_URL: url })
t.teardown(() => store.close())

/** A gateway with a webhook that fails, whose deliveries all have tries left, and a webhook that is told. */
async function addFailing(
  gateway: string,
  { since, requests, status = null }: { since: string; requests: number; status?: number | null },
) {
  await pool.query(
    `with w as (insert into webhooks (gateway, endpoint_url, secret, failing_since)
                values ($1, 'https://fails.example/', 's', now() - $2::interval) returning id),
          told as (insert into webhooks (gateway, endpoint_url, secret, event_types)
                   values ($1, 'https://told.example/', 's', array['webhook.failing'])),
          d as (insert into deliveries (webhook_id, message_id, type, message, state, attempts_made, defer_reason, due_at)
                select id, 'm' || n, 'payment.executed', 0, 'waiting', 1, 'breaker open', now() + interval '1 min'
                  from w, generate_series(1, $3::int) n returning id)
     insert into delivery_attempts (delivery_id, number, finished_at, outcome, status_code)
     select id, 1, now(), 'refused', $4 from d`,
    [gateway, since, requests, status],
  )
}

t.test('49 of 49 requests that failed in 18 minutes are told of once', async t => {
  await addFailing('breaker', { since: '18 min', requests: 49 })
  await addFailing('few', { since: '18 min', requests: 4 })
  await addFailing('short', { since: '4 min', requests: 49 })
  t.equal((await notifyFailures(store)).length, 1)
  const { rows } = await pool.query<{ gateway: string; body: string }>(
    `select w.gateway, m.body from deliveries d join messages m on m.id = d.message join webhooks w on w.id = d.webhook_id`,
  )
  const notices = rows.filter(({ body }) => body !== '{}')
  t.match(notices, [{ gateway: 'breaker', body: /"type":"webhook\.failing"/ }])
  t.same(await notifyFailures(store), [], 'once')
})

t.test('what counts against an endpoint is the rule of the domain', async t => {
  const statuses = [302, 400, 404, 408, 410, 425, 429, 499, 500, 503, 599]
  for (const status of statuses)
    await addFailing(`answers ${status}`, { since: '18 min', requests: 5, status })
  await notifyFailures(store)
  const { rows } = await pool.query<{ gateway: string }>(
    `select gateway from webhooks where gateway like 'answers %' and failure_notified_at is not null order by gateway`,
  )
  const gatewaysOfRows = rows.map(({ gateway }) => gateway)
  t.same(
    gatewaysOfRows,
    statuses.filter(isEndpointFailure).map(status => `answers ${status}`),
  )
})

t.test('what was accepted since ends it', async t => {
  await addFailing('recovered', { since: '18 min', requests: 49 })
  await pool.query(`update webhooks set failing_since = null where gateway = 'recovered'`)
  t.same(await notifyFailures(store), [])
})
