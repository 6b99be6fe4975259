// An endpoint is away for some time, whose hours pass by ageing rows. With `recover` it has everything afterwards, in order
// where `ordered`, although nothing new comes; and each cycle is one try and at most three retries.
import { randomUUID } from 'node:crypto'
import { retryDelayMs } from '@payment-tracking/domain'
import { makeCommittedPayment, SENT } from '@payment-tracking/testkit'
import t from 'tap'
import { claimDeliveries, type ClaimedDelivery } from '../../src/deliveries/claim-deliveries.js'
import { createWebhook } from '../../src/admin/webhooks/webhook-records.js'
import { finishAttempts } from '../../src/deliveries/finish-attempts.js'
import { insertDeliveries } from '../../src/messages/routing/notify.js'
import { noteWebhookHealth } from '../../src/deliveries/deactivate-webhooks.js'
import { readWaits } from '../../src/admin/webhooks/read-waits.js'
import { recoverFailed } from '../../src/deliveries/recover.js'
import { updateWebhook } from '../../src/admin/webhooks/update-webhook.js'
import { makeNextDue } from '../../src/deliveries/ordered-deliveries.js'
import { resultOf } from './attempt-result.js'
import { openTestStore } from '../open-test-store.js'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const UNIT = 5 * SECOND
const RULES = { backoffMs: UNIT, backoffFactor: 2 }

const { store, pool } = await openTestStore(t)

/** An endpoint in a world whose clock the test moves. */
async function openWorld(choices: { ordered: boolean; recover: boolean }) {
  const gateway = randomUUID()
  const webhook = await createWebhook(store, {
    gateway,
    endpointUrl: 'https://shop.example/',
    active: true,
    ...choices,
  })
  const arrived: string[] = []
  let isUp = true
  let passedMs = 0
  const send = async (delivery: ClaimedDelivery): Promise<void> => {
    arrived.push(delivery.messageId)
    const next = isUp ? 'delivered' : delivery.triesLeft === 0 ? 'failed' : 'pending'
    const retryInMs = next === 'pending' ? retryDelayMs(delivery.triesMade, UNIT, 0.5) : 0
    const refusal = { outcome: 'refused', statusCode: 503, error: 'status' } as const
    await finishAttempts(store, [resultOf(delivery, { next, retryInMs, ...(isUp ? {} : refusal) })])
    const [failed, succeeded] = isUp ? [[], [webhook.id]] : [[webhook.id], []]
    await noteWebhookHealth(store, { failed, lost: [], succeeded }, 1e12)
    if (next !== 'pending') await makeNextDue(store, delivery)
  }
  const rows = async () =>
    (
      await pool.query<{ id: string; message_id: string; state: string; attempts_made: number }>(
        `select * from ${SENT} d where webhook_id = $1 order by id`,
        [webhook.id],
      )
    ).rows
  /** What the worker does in a moment: recovers, and sends what is due, one after the other. */
  const work = async () => {
    await recoverFailed(store, { backoffMs: UNIT, limit: 500 })
    for (;;) {
      const due = await pool.query<{ id: string }>(
        `select id from deliveries where webhook_id = $1 and state in ('pending', 'waiting') and due_at <= now() order by id`,
        [webhook.id],
      )
      if (due.rows.length === 0) return
      for (const { id } of due.rows)
        for (const claim of await claimDeliveries(store, [id], MINUTE))
          if (claim.kind === 'claimed') await send(claim.delivery)
    }
  }
  return {
    webhook,
    gateway,
    arrived,
    rows,
    setUp: (up: boolean) => void (isUp = up),
    pay: async (count: number) => {
      await insertDeliveries(
        store,
        Array.from({ length: count }, () => makeCommittedPayment(gateway)),
      )
    },
    waits: async () => (await readWaits(store, [webhook.id], RULES)).get(webhook.id)!,
    /** @param stepMs how often the worker checks */
    pass: async (ms: number, stepMs: number) => {
      for (let gone = 0; gone < ms; gone += stepMs) {
        await work()
        await pool.query(
          `update deliveries set finished_at = finished_at - $2 * interval '1 ms', due_at = due_at - $2 * interval '1 ms',
                  opened_at = opened_at - $2 * interval '1 ms', created_at = created_at - $2 * interval '1 ms' where webhook_id = $1 and state <> 'delivered'`,
          [webhook.id, stepMs],
        )
        await pool.query(
          `update webhooks set failing_since = failing_since - $2 * interval '1 ms' where id = $1`,
          [webhook.id, stepMs],
        )
        passedMs += stepMs
      }
      await work()
    },
    passedMs: () => passedMs,
  }
}

const AWAY: [name: string, ms: number, stepMs: number][] = [
  ['1 hour', HOUR, 20 * SECOND],
  ['60 hours', 60 * HOUR, 10 * MINUTE],
]
for (const [name, ms, stepMs] of AWAY)
  for (const ordered of [false, true])
    t.test(`${ordered ? 'ordered, ' : ''}away for ${name}`, async t => {
      const world = await openWorld({ ordered, recover: true })
      await world.pay(1)
      await world.pass(0, stepMs)
      world.setUp(false)
      await world.pay(3)
      await world.pass(ms / 2, stepMs)
      await world.pay(2)
      await world.pass(ms / 2, stepMs)
      const { waiting, nextTryAt, lastTryAt } = await world.waits()
      t.equal(waiting, 5)
      t.ok(nextTryAt! <= lastTryAt!)
      t.ok(lastTryAt!.getTime() < Date.now() + 72 * HOUR)
      const tried = new Set((await world.rows()).map(row => row.attempts_made))
      t.comment(`${world.arrived.length} requests; tries of each: ${[...tried].join()}`)
      world.setUp(true)
      // Nothing new comes.
      await world.pass(9 * HOUR, 5 * MINUTE)
      const rows = await world.rows()
      const states = rows.map(({ state }) => state)
      t.same(
        states,
        rows.map(() => 'delivered'),
      )
      t.ok(rows.length === 6 && rows.every(row => row.attempts_made <= 68))
      const arrivals = world.arrived.slice(-5)
      t.equal(new Set(arrivals).size, 5, 'each came once when the endpoint was back')
      if (ordered)
        t.same(
          arrivals,
          rows.slice(1).map(row => row.message_id),
        )
      const counts = await pool.query<{ number: number }>(
        `select number from delivery_attempts a join deliveries d on d.id = a.delivery_id where d.webhook_id = $1 and a.outcome = 'accepted'`,
        [world.webhook.id],
      )
      t.equal(counts.rowCount, 6)
      t.same(await world.waits(), { waiting: 0, nextTryAt: null, lastTryAt: null })
    })

t.test('without recover, the fourth failed request is the last, and the answer says so before', async t => {
  const world = await openWorld({ ordered: false, recover: false })
  world.setUp(false)
  await world.pay(7)
  await world.pass(0, SECOND)
  const after = await world.waits()
  t.equal(after.waiting, 7)
  const seconds = (at: Date | null) => Math.round((at!.getTime() - Date.now()) / SECOND)
  t.ok(seconds(after.nextTryAt) >= 0 && seconds(after.nextTryAt) <= 6, 'a retry is 5 s away')
  t.ok(seconds(after.lastTryAt) >= 25 && seconds(after.lastTryAt) <= 42, '5, 10 and 20 s with their chance')
  await world.pass(MINUTE, 5 * SECOND)
  t.equal(world.arrived.length, 28)
  t.same(await world.waits(), { waiting: 0, nextTryAt: null, lastTryAt: null }, 'nothing follows')
  await updateWebhook(store, world.gateway, world.webhook.id, { recover: true })
  const recovering = await world.waits()
  t.equal(recovering.waiting, 7, 'what failed has cycles left from now on')
  const hours = (recovering.lastTryAt!.getTime() - Date.now()) / HOUR
  t.ok(hours > 64 && hours < 65, `${hours} hours`)
})

t.test('a cycle while the endpoint is away is one try and three retries, and its backoffs grow', async t => {
  const world = await openWorld({ ordered: false, recover: true })
  world.setUp(false)
  await world.pay(1)
  for (const [minutes, cycles] of [
    [0.9, 1],
    [2.1, 2],
    [3, 3],
    [5, 4],
    [9, 5],
  ] as const) {
    await world.pass(minutes * MINUTE, 5 * SECOND)
    t.equal(world.arrived.length, 4 * cycles, `${cycles} cycles after ${minutes} more minutes`)
  }
})

t.test('of a million, a thousand are counted', async t => {
  const world = await openWorld({ ordered: false, recover: true })
  await pool.query(
    `insert into deliveries (webhook_id, message_id, type, message) select $1, 'm' || n, 'payment.executed', 0 from generate_series(1, 1500) n`,
    [world.webhook.id],
  )
  t.equal((await world.waits()).waiting, 1_000)
})
