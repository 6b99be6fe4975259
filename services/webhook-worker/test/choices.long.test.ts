// What the owner of a webhook can choose, seen at the endpoint.
import { insertDeliveries } from '@payment-tracking/store/messages'
import { recoverFailed } from '@payment-tracking/store/deliveries'
import { makeCommittedPayment, openReceiver, SENT, waitFor } from '@payment-tracking/testkit'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { openRig } from './support/start-worker.js'

t.test('what a webhook chooses', async t => {
  const rig = await openRig(t)
  const { pool } = rig.database
  const set = (id: bigint, columns: Record<string, unknown>) =>
    pool.query(
      `update webhooks set ${Object.keys(columns)
        .map((name, at) => `${name} = $${at + 2}`)
        .join(', ')} where id = $1`,
      [id, ...Object.values(columns)],
    )
  const rowsOf = async (id: bigint) =>
    (await pool.query(`select * from ${SENT} d where webhook_id = $1 order by id`, [id])).rows
  const statesOf = async (id: bigint) => (await rowsOf(id)).map(row => row.state as string)
  t.test('a message that the endpoint always refuses is sent in 17 cycles, not for ever', async t => {
    const webhook = await rig.addWebhook('http://127.0.0.1:1/')
    await set(webhook.id, { recover: true, active: false })
    const attempts = async (made: number, finished: string) => {
      await set(webhook.id, { active: true })
      const [ref] = await rig.pay(webhook.gateway, 1, { enqueue: false })
      await pool.query(
        `update deliveries set state = 'failed', attempts_made = $2, tries_allowed = $2,
                finished_at = now() - $3::interval, due_at = now() + interval '1 h' where id = $1`,
        [ref!.id, made, finished],
      )
      await set(webhook.id, { active: false })
      return ref!.id
    }
    await attempts(68, '2 h')
    await attempts(4, '1 s')
    const due = await attempts(24, '1 h')
    await set(webhook.id, { active: true })
    const limits = { backoffMs: 60_000, limit: 10 }
    await set(webhook.id, { failing_since: new Date() })
    t.same(await recoverFailed(rig.store, limits), [], 'no answer yet, and longer backoffs')
    await set(webhook.id, { failing_since: null })
    const foundIds = (await recoverFailed(rig.store, limits)).map(ref => ref.id)
    t.same(foundIds, [due])
  })

  // Two workers, so that what one finishes the other may go on with. A claim of the tests ends after 1.5 s, and what waits for a slot of
  // its rate would be sent twice.
  const patient = { 'webhook-worker.claimMarginMs': '30000', 'webhook-worker.overdueMs': '5000' }
  await Promise.all([rig.startWorker(patient), rig.startWorker(patient)])

  t.test('Slack and Discord get a line that people read, signed as it is sent', async t => {
    for (const format of ['slack', 'discord']) {
      const receiver = await openReceiver(t)
      const webhook = await rig.addWebhook(receiver.url)
      await set(webhook.id, { format })
      await rig.pay(webhook.gateway)
      const [request] = await receiver.waitForRequests(1)
      const { text, content, ...rest } = JSON.parse(request!.body) as Record<string, unknown>
      t.match(text ?? content, /^Payment received: \d+ of the smallest unit of /)
      t.same(rest, format === 'slack' ? {} : { allowed_mentions: { parse: [] } })
      t.doesNotThrow(() => new Webhook(webhook.secret).verify(request!.body, request!.headers as never))
    }
  })

  t.test('a channel that asks for patience spends no try', async t => {
    const receiver = await openReceiver(t)
    const webhook = await rig.addWebhook(receiver.url)
    await set(webhook.id, { format: 'slack' })
    receiver.answer({ status: 429, headers: { 'retry-after': '3' } })
    await rig.pay(webhook.gateway, 5)
    // Until the first answer, both workers have slots of the rate. From then on one line asks, and the others wait for its answer.
    const times = (await receiver.waitForRequests(5)).map(({ receivedAtMs }) => receivedAtMs)
    const pauses = times.slice(1).map((ms, at) => Math.round(ms - times[at]!))
    for (const ms of pauses.slice(-2)) t.ok(ms > 2_900, `asked after ${pauses.join(', ')} ms`)
    const areDeferred = async () =>
      (await rowsOf(webhook.id)).every(({ defer_reason }) => defer_reason === 'rate cap')
    await waitFor(areDeferred, { what: 'the wait' })
    receiver.answer({ status: 200 })
    await rig.waitForStates({ delivered: 5 }, { gateway: webhook.gateway })
    const attempts = (await rowsOf(webhook.id)).map(row => row.attempts_made)
    t.strictSame(attempts, Array(5).fill(1))
  })

  t.test('headers are sent with each request, beside those of the service', async t => {
    const receiver = await openReceiver(t)
    const webhook = await rig.addWebhook(receiver.url)
    await set(webhook.id, { headers: '{"authorization": "Bearer shop", "x-shop": "4711"}' })
    await rig.pay(webhook.gateway)
    const [request] = await receiver.waitForRequests(1)
    t.match(request!.headers, {
      authorization: 'Bearer shop',
      'x-shop': '4711',
      'content-type': 'application/json',
      'user-agent': /^payment-tracking-webhooks/,
      'webhook-id': /^msg_/,
    })
  })

  t.test('ordered by tracking ID, dust holds back nothing but dust of its own memo', async t => {
    const receiver = await openReceiver(t)
    const webhook = await rig.addWebhook(receiver.url)
    await set(webhook.id, { ordered: true, ordered_by: 'trackingId' })
    receiver.answer(({ body }) => ({ status: body.includes('"dust') ? 404 : 200 }))
    const names = ['dust-1', 'dust-2', 'own-1', 'dust-1', 'own-2', 'own-1', null, 'own-1', null]
    const payments = names.map(trackingId => makeCommittedPayment(webhook.gateway, { trackingId }))
    const dueByDefault = (when: string) =>
      pool.query(`alter table deliveries alter column due_at set default ${when}`)
    await dueByDefault(`now() + interval '1 h'`)
    const refs = await insertDeliveries(rig.store, payments)
    await dueByDefault('clock_timestamp()')
    const send = async (which: string) => {
      const { rows } = await pool.query<{ id: string }>(
        `update deliveries set due_at = now() where webhook_id = $1 and (select body from messages where id = message) ${which} '%"dust-%' returning id`,
        [webhook.id],
      )
      await rig.queue.enqueueDeliveries(refs.filter(ref => rows.some(({ id }) => id === String(ref.id))))
    }
    const waitForStates = (expected: string) =>
      waitFor(async () => (await statesOf(webhook.id)).toSorted().join() === expected, { what: expected })
    await send('not like')
    await waitForStates(`${'delivered,'.repeat(6)}pending,pending,pending`)
    t.equal(receiver.requests.length, 6, 'dust is still open, and has held back nothing')
    await send('like')
    await waitForStates(`${'delivered,'.repeat(6)}failed,failed,failed`)
    const nameOf = (body: string) => (JSON.parse(body) as { data: { trackingId: string } }).data.trackingId
    const ids = (await rowsOf(webhook.id)).map(row => row.message_id as string)
    const arrived = receiver.requests.map(({ headers, body }) => ({
      name: nameOf(body),
      nth: ids.indexOf(String(headers['webhook-id'])),
    }))
    for (const name of new Set(names)) {
      const nths = arrived.filter(each => each.name === name).map(({ nth }) => nth)
      const inOrder = nths.toSorted((a, b) => a - b)
      t.same(nths, inOrder, `${name} in order`)
    }
  })

  t.test('an old open delivery holds back no later one', async t => {
    const receiver = await openReceiver(t)
    const webhook = await rig.addWebhook(receiver.url)
    await set(webhook.id, { ordered: true, ordered_within_seconds: 60 })
    const [held] = await rig.pay(webhook.gateway, 1, { enqueue: false })
    await pool.query(
      `update deliveries set state = 'waiting', deferred_since = now(), defer_reason = 'breaker open',
              due_at = now() + interval '1 h' where id = $1`,
      [held!.id],
    )
    const [next] = await rig.pay(webhook.gateway)
    await waitFor(
      async () =>
        (await rowsOf(webhook.id)).find(row => row.id === String(next!.id)).defer_reason ===
        'earlier delivery',
      { what: 'the wait' },
    )
    t.equal(receiver.requests.length, 0)
    await pool.query(`update deliveries set opened_at = now() - interval '61 s' where id = $1`, [held!.id])
    await pool.query(`update deliveries set due_at = now() where id = $1`, [next!.id])
    await receiver.waitForRequests(1)
    await waitFor(async () => (await statesOf(webhook.id)).join() === 'waiting,delivered')
  })

  t.test('a gateway is notified once that a webhook fails, and when it is deactivated', async t => {
    const [bad, good] = [await openReceiver(t), await openReceiver(t)]
    const webhook = await rig.addWebhook(bad.url)
    const listener = await rig.addWebhook(good.url, webhook.gateway)
    await set(listener.id, { event_types: ['webhook.failing', 'webhook.deactivated'] })
    const [chat, quiet] = [await openReceiver(t), await openReceiver(t)]
    for (const [receiver, columns] of [
      [chat, { format: 'slack' }],
      [quiet, { format: 'slack', event_types: ['payment.executed'] }],
    ] as const)
      await set((await rig.addWebhook(receiver.url, webhook.gateway)).id, columns)
    bad.answer({ status: 500 })
    // Ten failures would open the breaker for a minute.
    await rig.pay(webhook.gateway, 1)
    await good.waitForRequests(1)
    await rig.pay(webhook.gateway, 1)
    await waitFor(async () => (await statesOf(webhook.id)).join() === 'failed,failed')
    bad.answer({ status: 410 })
    await rig.pay(webhook.gateway, 1)
    await good.waitForRequests(2)
    const received = good.requests.map(({ body }) => JSON.parse(body))
    t.match(received, [
      {
        type: 'webhook.failing',
        data: {
          webhookId: Number(webhook.id),
          gateway: webhook.gateway,
          origin: new URL(bad.url).origin,
          reason: null,
        },
      },
      { type: 'webhook.deactivated', data: { webhookId: Number(webhook.id), reason: 'gone' } },
    ])
    t.equal((await rowsOf(listener.id)).length, 2, 'one notice of each kind')
    const noticesOf = ({ requests }: typeof chat) =>
      requests
        .map(({ body }) => (JSON.parse(body) as { text: string }).text)
        .filter(text => /^Webhook/.test(text))
    await waitFor(() => noticesOf(chat).length === 2, { what: 'the lines in a chat that asked for nothing' })
    t.match(noticesOf(chat).sort()[1], new RegExp(`^Webhook fails: webhook ${webhook.id}, since 20`))
    t.same(noticesOf(quiet), [], 'it has chosen what it wants')
  })
})
