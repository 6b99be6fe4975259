import { randomUUID } from 'node:crypto'
import type { CommittedPayment } from '@payment-tracking/contracts'
import { makeCommittedPayment } from '@payment-tracking/testkit'
import t from 'tap'
import { claimDeliveries, type ClaimedDelivery } from '../../src/deliveries/claim-deliveries.js'
import { createWebhook } from '../../src/admin/webhooks/webhook-records.js'
import { putBackDeliveries } from '../../src/deliveries/put-back-deliveries.js'
import { insertDeliveries } from '../../src/messages/routing/notify.js'
import { sweepDeliveries } from '../../src/deliveries/sweep-deliveries.js'
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

  t.test('a claim that is put back again takes nothing from the claim after it', async t => {
    const { gateway } = await addWebhook()
    const [{ id } = { id: 0n }] = await insert([makeCommittedPayment(gateway)])
    const first = await claimOne(id)
    const putBack = { delivery: first, forMs: 0, reason: 'endpoint changed' }
    await putBackDeliveries(store, [putBack])
    const second = await claimOne(id)
    t.match(second, { attempt: first.attempt })
    // Its answer was lost, so the worker says it again.
    await putBackDeliveries(store, [putBack])
    const { rows } = await database.pool.query(
      `select d.state, d.attempts_made, a.started_at, a.outcome from deliveries d join delivery_attempts a on a.delivery_id = d.id
        where d.id = $1`,
      [id],
    )
    t.same(rows, [{ state: 'pending', attempts_made: 1, started_at: second.startedAt, outcome: null }])
  })

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
    const ids = found.map(({ id }) => id)
    t.strictSame(ids, [lost!.id])
  })
})
