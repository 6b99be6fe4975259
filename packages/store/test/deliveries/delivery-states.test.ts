// Every (state, event) pair of the domain's table, driven through the statements that production runs.
import { randomUUID } from 'node:crypto'
import {
  DELIVERY_EVENTS,
  DELIVERY_STATES,
  nextDeliveryState,
  type DeliveryEvent,
  type DeliveryState,
} from '@payment-tracking/domain'
import t from 'tap'
import { type Store } from '../../src/core/database/open-store.js'
import {
  beginRedelivery,
  insertMessage,
  redeliverByIds,
  redeliverOne,
} from '../../src/deliveries/replay/redeliver.js'
import { claimDeliveries, type ClaimedDelivery } from '../../src/deliveries/claim-deliveries.js'
import { createWebhook } from '../../src/admin/webhooks/webhook-records.js'
import { deactivateWebhooks } from '../../src/deliveries/deactivate-webhooks.js'
import { doWebhookWork } from '../../src/deliveries/webhook-work.js'
import { finishAttempts, type AttemptOutcome } from '../../src/deliveries/finish-attempts.js'
import { getDelivery } from '../../src/admin/webhooks/delivery-records.js'
import { deferDeliveries } from '../../src/deliveries/defer-deliveries.js'
import { putBackDeliveries } from '../../src/deliveries/put-back-deliveries.js'
import { updateWebhook } from '../../src/admin/webhooks/update-webhook.js'
import { resultOf } from './attempt-result.js'
import { openTestStore } from '../open-test-store.js'

/** A delivery in the state that the event meets. */
interface Given {
  store: Store
  gateway: string
  webhookId: bigint
  id: bigint
  /** the attempt that is under way, or was when the state changed */
  attempt: ClaimedDelivery
  run(query: string): Promise<unknown>
}

interface Driver {
  event: DeliveryEvent
  /** tells apart the ways in which one event can happen */
  way: string
  /** Makes the event happen. */
  happen: (given: Given) => Promise<unknown>
  /** states in which production never runs this statement: it refuses them before, by itself or its caller */
  never?: readonly DeliveryState[]
}

const report = (outcome: AttemptOutcome, event: DeliveryEvent) => (given: Given) =>
  finishAttempts(given.store, [
    resultOf(
      { ...given.attempt, id: given.id, webhookId: given.webhookId },
      // As the worker does: it knows the state at the claim, not the state now.
      { outcome, next: nextDeliveryState('pending', event), statusCode: 500 },
    ),
  ])
const claim = ({ store, id }: Given) => claimDeliveries(store, [String(id)], 60_000)
const since = new Date(0)
async function finishWork(store: Store): Promise<void> {
  while ((await doWebhookWork(store, { kinds: ['cancel', 'redeliver'] })) !== null);
}

const DRIVERS: readonly Driver[] = [
  { event: 'claimed', way: 'by a claim', happen: claim },
  {
    event: 'spent',
    way: 'by a claim',
    async happen(given) {
      await given.run(`update deliveries set tries_allowed = attempts_made where id = ${given.id}`)
      await claim(given)
    },
  },
  { event: 'accepted', way: 'by a result', happen: report('accepted', 'accepted') },
  { event: 'refused', way: 'by a result', happen: report('refused', 'refused') },
  { event: 'exhausted', way: 'by a result', happen: report('refused', 'exhausted') },
  { event: 'gone', way: 'by a result', happen: report('gone', 'gone') },
  {
    event: 'deferred',
    way: 'by the gate',
    happen: ({ store, id }) =>
      deferDeliveries(store, [{ id: String(id), forMs: 1_000, reason: 'rate cap' }], 60_000),
  },
  {
    event: 'deferred',
    way: 'before the request left',
    happen: ({ store, attempt }) =>
      putBackDeliveries(store, [{ delivery: attempt, forMs: 1_000, reason: 'in-flight cap' }]),
  },
  {
    event: 'cancelled',
    way: 'by the service',
    happen: ({ store, webhookId }) => deactivateWebhooks(store, [webhookId], 'failing'),
  },
  {
    event: 'cancelled',
    way: 'by the gateway',
    happen: ({ store, gateway, webhookId }) => updateWebhook(store, gateway, webhookId, { active: false }),
  },
  {
    event: 'cancelled',
    way: 'by a claim',
    async happen(given) {
      await given.run(`update webhooks set active = false where id = ${given.webhookId}`)
      await claim(given)
    },
  },
  {
    event: 'redelivered',
    way: 'one',
    happen: ({ store, webhookId, id }) => redeliverOne(store, webhookId, id),
  },
  {
    event: 'redelivered',
    way: 'many',
    async happen({ store, webhookId }) {
      await beginRedelivery(store, webhookId, { since, until: null, states: DELIVERY_STATES })
      await finishWork(store)
    },
  },
  {
    event: 'redelivered',
    way: 'by an operator',
    happen: ({ store, id }) => redeliverByIds(store, [id]),
    never: ['pending', 'waiting', 'delivered'],
  },
]

t.test("every event changes every state as the domain's table says", async t => {
  const { store, pool } = await openTestStore(t)
  const run = (query: string) => pool.query(query)

  const give = async (state: DeliveryState): Promise<Given> => {
    const gateway = randomUUID()
    const webhook = await createWebhook(store, { gateway, endpointUrl: 'https://a.example/', active: true })
    const message = { id: randomUUID(), type: 'webhook.test' as const, body: '{}' }
    const { id } = await insertMessage(store, webhook.id, message)
    const [claimed] = await claimDeliveries(store, [String(id)], 60_000)
    if (claimed?.kind !== 'claimed') throw new Error('the delivery was not claimed')
    // The claim ran out, so that every event can meet the row.
    await run(`update deliveries set state = '${state}', claimed_until = now() - interval '1 s',
                      finished_at = ${state === 'pending' || state === 'waiting' ? 'null' : 'now()'}
                where id = ${id}`)
    return { store, gateway, webhookId: webhook.id, id, attempt: claimed.delivery, run }
  }

  t.strictSame([...new Set(DRIVERS.map(({ event }) => event))], [...DELIVERY_EVENTS], 'no event is left out')
  for (const { event, way, happen, never = [] } of DRIVERS) {
    for (const state of DELIVERY_STATES.filter(each => !never.includes(each))) {
      const given = await give(state)
      await happen(given)
      const next = nextDeliveryState(state, event)
      const read = await getDelivery(store, given.webhookId, given.id)
      t.equal(read!.status, next, `${state}, ${event} ${way}, as it is read at once`)
      await finishWork(store)
      const { rows } = await pool.query<{ state: string }>('select state from deliveries where id = $1', [
        given.id,
      ])
      t.equal(rows[0]!.state, next, `${state}, ${event} ${way}`)
    }
  }
})
