// What waits is released in pages, in the order of the chain, and is forgotten with its event.
import { randomUUID } from 'node:crypto'
import type { CommittedPayment } from '@payment-tracking/contracts'
import type { Lifecycle, LifecyclePolicy } from '@payment-tracking/domain'
import {
  addEvent,
  insertWebhook,
  makeCommittedPayment,
  type WebhookChoices,
  SENT,
} from '@payment-tracking/testkit'
import t from 'tap'
import { release, type WaitedFor, type WaitingKey } from '../../src/messages/waiting/release.js'
import { notify } from '../../src/messages/routing/notify.js'
import { openTestStore } from '../open-test-store.js'

const { store, pool } = await openTestStore(t)
const isFinal = () => false

const addWebhook = (gateway: string, choices: WebhookChoices) => insertWebhook(pool, gateway, choices)

const paymentOf = (gateway: string, over: Partial<CommittedPayment> = {}): CommittedPayment =>
  makeCommittedPayment(gateway, {
    trackingId: null,
    seq: null,
    paymentPolicy: `policy of ${gateway}`,
    amount: '5',
    ...over,
  })

/** Stores payments as far as `release` reads them. */
const storePayments = (payments: readonly CommittedPayment[]) =>
  Promise.all(
    payments.map(({ eventId: id, position, slot, gateway, paymentPolicy, recipient }) =>
      addEvent(pool, { id, position, slot, gateway, payment_policy: paymentPolicy, recipient, amount: 5 }),
    ),
  )

const transaction = store.database.transaction.bind(store.database)
const notifyPayments = (payments: CommittedPayment[]) =>
  transaction(tx => notify(tx, { payments, lifecycles: [], isFinal }))

/** Every page in a transaction of its own. @returns the rows of each page */
const releaseAll = async (waitedFor: WaitedFor): Promise<number[]> => {
  const sizes: number[] = []
  for (let last: WaitingKey | undefined; ;) {
    const after = last
    const page = await transaction(tx => release(tx, waitedFor, isFinal, 500, after))
    sizes.push(page.deliveries.length)
    if (page.last === null) return sizes
    last = page.last
  }
}
const slotsSent = async (webhook: string): Promise<number[]> =>
  (
    await pool.query<{ slot: number }>(
      `select (body::json -> 'data' ->> 'slot')::int as slot from ${SENT} d where webhook_id = $1 order by id`,
      [webhook],
    )
  ).rows.map(({ slot }) => slot)
const waitingOf = async (webhook: string): Promise<string[]> =>
  (
    await pool.query<{ waits_for: string }>('select waits_for from waiting_messages where webhook_id = $1', [
      webhook,
    ])
  ).rows.map(row => row.waits_for)

t.test('what is final is released by slot, at most 500 rows at a time', async t => {
  const gateway = randomUUID()
  const webhook = await addWebhook(gateway, { finality: 'finalized' })
  const payments = Array.from({ length: 1_203 }, (_, at) => paymentOf(gateway, { slot: at + 1 })).reverse()
  await storePayments(payments)
  await notifyPayments(payments)
  t.same(await slotsSent(webhook), [])
  t.same(await releaseAll({ finalizedSlot: 1_201n }), [500, 500, 201])
  const wanted = Array.from({ length: 1_201 }, (_, at) => at + 1)
  t.same(await slotsSent(webhook), wanted)
  t.same(await waitingOf(webhook), ['finality', 'finality'])
  t.same(await releaseAll({ finalizedSlot: 1_201n }), [0])
  const last = payments.filter(({ slot }) => slot > 1_201).map(({ eventId }) => eventId)
  t.same(await releaseAll({ finalEvents: last }), [2])
  t.same(await waitingOf(webhook), [])
})

t.test('what still lacks a detail does not hold up the pages', async t => {
  const gateway = randomUUID()
  const webhook = await addWebhook(gateway, { filters: { recipient: 'R', tokenMint: 'M' } })
  const payments = Array.from({ length: 1_100 }, (_, at) => paymentOf(gateway, { slot: at + 1 }))
  const [known, unknown] = [payments.slice(0, 20), payments.slice(20)]
  await storePayments([...known.map(each => ({ ...each, recipient: 'S' })), ...unknown])
  await notifyPayments(payments)
  t.equal((await waitingOf(webhook)).length, 1_100)
  const policies = [payments[0]!.paymentPolicy]
  t.same(await releaseAll({ policies }), [0, 0, 0])
  t.equal((await waitingOf(webhook)).length, 1_080, 'what the filters refuse is deleted')
  t.same(await releaseAll({ payments: known.map(({ eventId }) => eventId) }), [0])
})

t.test('a life-cycle event that waits for finality has the figures of its time', async t => {
  const gateway = randomUUID()
  const choices: WebhookChoices = {
    finality: 'finalized',
    types: ['subscription.paused'],
    filters: { recipient: 'R' },
  }
  const webhook = await addWebhook(gateway, choices)
  await addWebhook(gateway, choices)
  const policy: LifecyclePolicy = {
    address: `policy of ${gateway}`,
    incarnationStart: '0',
    family: 'regular',
    policyId: 1,
    gateway,
    recipient: 'R',
    trackingId: null,
    tokenMint: null,
    payer: null,
    status: 'paused',
    paymentCount: 3n,
    totalPaid: 15n,
    nextPaymentDue: null,
  }
  const cause = { eventId: randomUUID(), signature: 's', slot: 91_000 }
  const lifecycle: Lifecycle = {
    type: 'subscription.paused',
    key: 'k',
    at: '2026-11-20T10:00:00.000Z',
    dueAt: null,
    cause,
  }
  await transaction(tx => notify(tx, { payments: [], lifecycles: [{ policy, lifecycle }], isFinal }))
  t.same(await waitingOf(webhook), ['finality'])
  await pool.query(
    `insert into policies (address, incarnation_start, gateway, recipient, payment_count, total_paid, live, status)
     values ($1, '1', $2, 'S', 9, 99, true, 'active')`,
    [policy.address, gateway],
  )
  t.same(await releaseAll({ finalizedSlot: 91_000n }), [2], 'each delivery is handed over once')
  const { rows } = await pool.query(
    `select message_id, body::json as body from ${SENT} d where webhook_id = $1`,
    [webhook],
  )
  t.equal(rows.length, 1, 'the filters judge what the message says')
  t.match(rows[0].body, {
    id: rows[0].message_id,
    data: { recipient: 'R', status: 'paused', paymentCount: 3, totalPaid: 15 },
  })
})
