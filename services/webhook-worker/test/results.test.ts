// The worker writes each result, however long Postgres refuses the write, and does not repeat the request.
import { openReceiver, waitFor } from '@payment-tracking/testkit'
import t from 'tap'
import { openRig } from './support/start-worker.js'

t.test('results that Postgres refuses', async t => {
  const rig = await openRig(t)
  const { pool } = rig.database
  // Longer than the test: no other worker may claim deliveries that this worker has sent.
  const worker = await rig.startWorker({ 'webhook-worker.claimMarginMs': '60000' })
  await pool.query(`create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'not now' using errcode = tg_argv[0]; end $$`)
  const countRefusals = () => worker.logs.filter(line => line.msg === 'delivery.result-not-written').length

  t.test('are written with the answer once Postgres accepts writes again', async t => {
    const receiver = await openReceiver(t)
    receiver.answer({ status: 200, body: 'thank you', headers: { 'x-request-id': 'r1' } })
    const webhook = await rig.addWebhook(receiver.url)
    // cannot_connect_now, the error of a starting server
    await pool.query(`create trigger refuse before update on delivery_attempts
      for each row execute function refuse('57P03')`)
    const before = countRefusals()
    await rig.pay(webhook.gateway)
    await waitFor(() => countRefusals() >= before + 3, { what: 'three refusals' })
    t.match(await rig.deliveries(webhook.gateway), [{ state: 'pending' }])
    await pool.query('drop trigger refuse on delivery_attempts')
    await rig.waitForStates({ delivered: 1 }, webhook)
    t.match(await rig.attempts(webhook.gateway), [
      {
        outcome: 'accepted',
        status_code: 200,
        response_body: 'thank you',
        response_headers: { 'x-request-id': 'r1' },
      },
    ])
    t.equal(receiver.requests.length, 1, 'it was sent once')
  })

  t.test('are written without the answer when Postgres refuses the answer itself', async t => {
    const receiver = await openReceiver(t)
    receiver.answer({ status: 200, body: 'poison' })
    const webhook = await rig.addWebhook(receiver.url)
    // check_violation: Postgres will refuse the same values again
    await pool.query(`create trigger refuse before update on delivery_attempts
      for each row when (new.response_body = 'poison') execute function refuse('23514')`)
    await rig.pay(webhook.gateway)
    await rig.waitForStates({ delivered: 1 }, webhook)
    t.match(await rig.attempts(webhook.gateway), [
      { outcome: 'accepted', status_code: 200, response_body: null, response_headers: null },
    ])
    t.equal(receiver.requests.length, 1, 'it was sent once')
  })
})
