import { randomUUID } from 'node:crypto'
import type { CommittedPayment } from '@payment-tracking/contracts'
import { renderPaymentMessage } from '@payment-tracking/domain'
import { makeCommittedPayment, SENT } from '@payment-tracking/testkit'
import t from 'tap'
import { claimDeliveries, type ClaimedDelivery } from '../../src/deliveries/claim-deliveries.js'
import { createWebhook, deleteWebhooks } from '../../src/admin/webhooks/webhook-records.js'
import { deactivateWebhooks } from '../../src/deliveries/deactivate-webhooks.js'
import { doWebhookWork } from '../../src/deliveries/work.js'
import { finishAttempts, type AttemptResult } from '../../src/deliveries/finish-attempts.js'
import { insertDeliveries } from '../../src/messages/routing/notify.js'
import { redeliverOne } from '../../src/deliveries/replay/redeliver.js'
import { updateWebhook } from '../../src/admin/webhooks/update-webhook.js'
import { sweepDeliveries } from '../../src/deliveries/sweep-deliveries.js'
import { notify } from '../../src/messages/routing/notify.js'
import { resultOf } from './attempt-result.js'
import { openTestStore } from '../open-test-store.js'

t.test('deliveries in Postgres', async t => {
  const { store, database } = await openTestStore(t, { poolSize: 8 })
  const insert = (payments: CommittedPayment[]) => insertDeliveries(store, payments)
  const addWebhook = async (gateway: string = randomUUID()) => ({
    ...(await createWebhook(store, { gateway, endpointUrl: 'https://shop.example/', active: true })),
    gateway,
  })
  const claimOne = async (id: bigint): Promise<ClaimedDelivery> => {
    const [claim] = await claimDeliveries(store, [String(id)], 60_000)
    if (claim?.kind !== 'claimed') throw new Error(`not claimed: ${JSON.stringify(claim?.kind)}`)
    return claim.delivery
  }
  const stateOf = async (id: bigint) =>
    (await database.pool.query('select * from deliveries where id = $1', [id])).rows[0]
  const refused = (delivery: ClaimedDelivery, over: Partial<AttemptResult> = {}): AttemptResult =>
    resultOf(delivery, { outcome: 'refused', next: 'pending', statusCode: 500, error: 'status', ...over })

  t.test('of the attempts of a delivery, the newest 100 are kept', async t => {
    const { gateway } = await addWebhook()
    const [{ id } = { id: 0n }] = await insert([makeCommittedPayment(gateway)])
    await database.pool.query(
      `insert into delivery_attempts (delivery_id, number, outcome, finished_at)
       select $1, n, 'refused', now() from generate_series(1, 120) n`,
      [id],
    )
    await database.pool.query(
      'update deliveries set attempts_made = 120, tries_allowed = 124 where id = $1',
      [id],
    )
    t.match(await claimOne(id), { attempt: 121 })
    const { rows } = await database.pool.query(
      'select count(*)::int as n, min(number)::int as "from", max(number)::int as "to" from delivery_attempts where delivery_id = $1',
      [id],
    )
    t.strictSame(rows, [{ n: 100, from: 22, to: 121 }])
  })

  t.test('one row for each active webhook of each payment, and no duplicate', async t => {
    const [one, quiet] = [await addWebhook(), randomUUID()]
    const two = await addWebhook(one.gateway)
    const off = await addWebhook(one.gateway)
    await updateWebhook(store, one.gateway, off.id, { active: false })
    const gone = await addWebhook(one.gateway)
    await deleteWebhooks(store, one.gateway, gone.id)
    const payments = [
      makeCommittedPayment(one.gateway),
      makeCommittedPayment(quiet),
      makeCommittedPayment(one.gateway),
    ]
    const refs = await insert(payments)
    t.strictSame(
      refs.map(ref => ref.webhookId),
      [one.id, two.id, one.id, two.id],
    )
    t.strictSame(await insert(payments), [], 'a replay writes nothing')
    const { rows } = await database.pool.query(
      `select event_id, message_id, body, state from ${SENT} d where webhook_id = $1 order by id`,
      [one.id],
    )
    const messages = [payments[0]!, payments[2]!].map(payment => ({
      payment,
      message: renderPaymentMessage(payment),
    }))
    t.strictSame(
      rows,
      messages.map(({ payment, message }) => ({
        event_id: payment.eventId,
        message_id: message.id,
        body: message.body,
        state: 'pending',
      })),
    )
    t.strictSame(await insert([]), [])
  })

  t.test('a transaction that rolls back leaves no delivery', async t => {
    const webhook = await addWebhook()
    const rolledBack = store.database.transaction(async tx => {
      await notify(tx, {
        payments: [makeCommittedPayment(webhook.gateway)],
        lifecycles: [],
        isFinal: () => false,
      })
      throw new Error('the payment is not stored')
    })
    await t.rejects(rolledBack)
    const { rowCount } = await database.pool.query('select from deliveries where webhook_id = $1', [
      webhook.id,
    ])
    t.equal(rowCount, 0)
  })

  t.test('one of many callers claims, and its attempt is recorded before it returns', async t => {
    const webhook = await addWebhook()
    const refs = await insert(Array.from({ length: 20 }, () => makeCommittedPayment(webhook.gateway)))
    const ids = refs.map(ref => String(ref.id))
    const claims = (await Promise.all([1, 2, 3, 4].map(() => claimDeliveries(store, ids, 60_000)))).flat()
    t.equal(claims.length, 80)
    const claimed = claims.flatMap(claim => (claim.kind === 'claimed' ? [claim.delivery] : []))
    t.equal(new Set(claimed.map(({ id }) => id)).size, 20)
    t.equal(claimed.length, 20)
    const { rows } = await database.pool.query(
      'select id from delivery_attempts where delivery_id = any($1) and finished_at is null',
      [ids],
    )
    t.strictSame(rows.map(({ id }) => BigInt(id)).sort(), claimed.map(({ attemptId }) => attemptId).sort())
  })

  t.test('a failure of an old attempt changes nothing; a success always delivers', async t => {
    const webhook = await addWebhook()
    const [ref] = await insert([makeCommittedPayment(webhook.gateway)])
    const first = await claimOne(ref!.id)
    await database.pool.query(`update deliveries set claimed_until = now() - interval '1 s'`)
    const second = await claimOne(ref!.id)
    t.equal(second.attempt, 2)
    await finishAttempts(store, [refused(first, { next: 'failed' })])
    t.match(await stateOf(ref!.id), { state: 'pending', attempts_made: 2 }, 'the second is still on its way')
    await deactivateWebhooks(store, [webhook.id], 'failing')
    while ((await doWebhookWork(store, { kinds: ['cancel'] })) !== null);
    t.match(await stateOf(ref!.id), { state: 'cancelled' })
    await finishAttempts(store, [refused(second, { outcome: 'accepted', next: 'delivered', error: null })])
    t.match(await stateOf(ref!.id), { state: 'delivered' }, 'the endpoint did accept')
    await finishAttempts(store, [refused(second, { outcome: 'accepted', next: 'delivered', error: null })])
    t.match(
      await stateOf(ref!.id),
      { state: 'delivered', attempts_made: 2 },
      'writing it again changes nothing',
    )
  })

  t.test('the claim cancels a delivery of a webhook that was deactivated meanwhile', async t => {
    const webhook = await addWebhook()
    const [ref] = await insert([makeCommittedPayment(webhook.gateway)])
    await database.pool.query('update webhooks set active = false where id = $1', [webhook.id])
    t.match(await claimDeliveries(store, [String(ref!.id)], 1_000), [{ kind: 'nothing', state: 'cancelled' }])
    t.match(await claimDeliveries(store, ['9'.repeat(18)], 1_000), [{ kind: 'nothing', state: null }])
  })

  t.test('the sweeper finds overdue deliveries, and does not repeat them too soon', async t => {
    const webhook = await addWebhook()
    const refs = await insert([
      makeCommittedPayment(webhook.gateway),
      makeCommittedPayment(webhook.gateway),
      makeCommittedPayment(webhook.gateway),
    ])
    const [lost, early, busy] = refs
    await claimOne(busy!.id)
    await database.pool.query(`update deliveries set due_at = now() - interval '1 min' where id = any($1)`, [
      [lost!.id, busy!.id],
    ])
    await database.pool.query(`update deliveries set due_at = now() + interval '1 min' where id = $1`, [
      early!.id,
    ])
    const sweep = () => sweepDeliveries(store, { overdueMs: 1_000, againMs: 60_000, limit: 1_000 })
    const found = (await Promise.all([sweep(), sweep(), sweep()]))
      .flatMap(page => page.deliveries)
      .filter(ref => ref.webhookId === webhook.id)
    t.strictSame(
      found.map(({ id }) => id),
      [lost!.id],
    )
  })

  t.test('a redelivery opens a cycle of four tries, whatever the earlier tries', async t => {
    const webhook = await addWebhook()
    const [ref] = await insert([makeCommittedPayment(webhook.gateway)])
    for (const triesLeft of [3, 2, 1, 0]) {
      const delivery = await claimOne(ref!.id)
      t.equal(delivery.triesLeft, triesLeft)
      await finishAttempts(store, [refused(delivery, { next: triesLeft === 0 ? 'failed' : 'pending' })])
    }
    const opened = await redeliverOne(store, webhook.id, ref!.id)
    t.equal(opened.length, 1)
    t.match(opened[0], { id: ref!.id, webhookId: webhook.id, triesLeft: 4 })
    const delivery = await claimOne(ref!.id)
    t.match(delivery, { attempt: 5, triesLeft: 3, triesMade: 1 })
    t.strictSame(await redeliverOne(store, webhook.id, ref!.id), [], 'what is being sent is left alone')
    t.strictSame(await redeliverOne(store, webhook.id + 1n, ref!.id), [], "another webhook's is not found")
  })
})
