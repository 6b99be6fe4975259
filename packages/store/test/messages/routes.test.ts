// Every combination of the domain's table, driven through the statements that production runs.
import { randomUUID } from 'node:crypto'
import type { CommittedPayment } from '@payment-tracking/contracts'
import {
  DIRECT_TRANSFER_POLICY,
  PAYMENT_MESSAGE_TYPE,
  route,
  type LifecyclePolicy,
  type Route,
} from '@payment-tracking/domain'
import { insertWebhook, makeCommittedPayment } from '@payment-tracking/testkit'
import t from 'tap'
import { type Store } from '../../src/core/database/open-store.js'
import type { Tx } from '../../src/core/database/sql.js'
import { notifyDuePolicies } from '../../src/messages/clock/notify-due-policies.js'
import { release } from '../../src/messages/waiting/release.js'
import { notify } from '../../src/messages/routing/notify.js'
import { openTestStore } from '../open-test-store.js'

type Run = (query: string, values?: unknown[]) => Promise<Record<string, unknown>[]>

interface Combination {
  asks: boolean
  state: 'active' | 'off' | 'deleted'
  /** of the payment or the policy; the filters ask for `M` */
  tokenMint: 'M' | 'N' | null
  canCome: boolean
  finality: 'confirmed' | 'finalized'
  final: boolean
}

const COMBINATIONS: Combination[] = []
for (const asks of [true, false])
  for (const state of ['active', 'off', 'deleted'] as const)
    for (const tokenMint of ['M', 'N', null] as const)
      for (const canCome of [true, false])
        for (const finality of ['confirmed', 'finalized'] as const)
          for (const final of [true, false])
            COMBINATIONS.push({ asks, state, tokenMint, canCome, finality, final })

const FILTERS = { tokenMint: 'M' }
const SLOT = 7

/** A message of a combination, and the webhook of its gateway. */
interface Given extends Combination {
  gateway: string
  policy: string
  webhookId: string
  run: Run
  store: Store
  transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
}

const paymentOf = (given: Given, tokenMint: string | null = given.tokenMint): CommittedPayment =>
  makeCommittedPayment(given.gateway, {
    trackingId: null,
    seq: null,
    slot: SLOT,
    paymentPolicy: given.policy,
    amount: '5',
    recipient: 'R',
    tokenMint,
  })

const policyOf = ({ gateway, policy, tokenMint }: Given): LifecyclePolicy => ({
  address: policy,
  incarnationStart: '0',
  family: 'regular',
  policyId: 1,
  gateway,
  recipient: 'R',
  trackingId: null,
  tokenMint,
  payer: null,
  status: 'active',
  paymentCount: 3n,
  totalPaid: 15n,
  nextPaymentDue: null,
})

const storePayment = (given: Given, { eventId, position }: CommittedPayment, tokenMint: string | null) =>
  given.run(
    `insert into events (id, position, slot, signature, event_index, name, data, occurred_at, fingerprint,
       stream_sequence, gateway, payment_policy, recipient, token_mint, amount, paid_at, record_id, commitment)
     values ($1::uuid, $6, $2, $1::uuid::text, 1, 'PaymentRecord', '{}', now(), gen_random_uuid(), 1, $3,
       $4, 'R', $5, 5, 1, 1, 'confirmed')`,
    [eventId, SLOT, given.gateway, given.policy, tokenMint, position],
  )

const setWebhook = (given: Given, type: string, { filters = FILTERS }: { filters?: object | null } = {}) =>
  given.run(
    `update webhooks set event_types = $2, active = $3, deleted_at = case when $4 then now() end, finality = $5,
            filters = $6 where id = $1`,
    [
      given.webhookId,
      given.asks ? [type] : ['webhook.failing'],
      given.state === 'active',
      given.state === 'deleted',
      given.finality,
      filters,
    ],
  )

interface Driver {
  way: string
  type: string
  /** combinations that cannot meet this statement */
  never: (combination: Combination) => boolean
  happen: (given: Given) => Promise<unknown>
  /** it waited when the webhook was turned off: it goes its way, and its delivery is cancelled */
  waited?: true
}

const DRIVERS: readonly Driver[] = [
  {
    way: 'a new payment',
    type: PAYMENT_MESSAGE_TYPE,
    never: () => false,
    async happen(given) {
      await setWebhook(given, PAYMENT_MESSAGE_TYPE)
      const payments = [paymentOf(given)]
      await given.transaction(tx => notify(tx, { payments, lifecycles: [], isFinal: () => given.final }))
    },
  },
  {
    way: 'a new life-cycle event',
    type: 'subscription.paused',
    never: ({ canCome }) => !canCome,
    async happen(given) {
      await setWebhook(given, 'subscription.paused')
      const cause = { eventId: randomUUID(), signature: 's', slot: SLOT }
      const at = '2026-11-20T10:00:00.000Z'
      const lifecycle = { type: 'subscription.paused' as const, key: 'k', at, dueAt: null, cause }
      const lifecycles = [{ policy: policyOf(given), lifecycle }]
      await given.transaction(tx => notify(tx, { payments: [], lifecycles, isFinal: () => given.final }))
    },
  },
  {
    way: 'a date that has passed',
    type: 'subscription.overdue',
    // What time causes is final, and belongs to a policy.
    never: ({ canCome, final }) => !canCome || !final,
    async happen(given) {
      await setWebhook(given, 'subscription.overdue')
      await given.run(
        `insert into policies (address, incarnation_start, gateway, recipient, token_mint, live, status, due_at)
         values ($1, '0', $2, 'R', $3, true, 'active', 5)`,
        [given.policy, given.gateway, given.tokenMint],
      )
      await notifyDuePolicies(given.store, { soonSeconds: 9, graceSeconds: 9, limit: 9 })
    },
  },
  {
    way: 'a payment that waited for details',
    waited: true,
    type: PAYMENT_MESSAGE_TYPE,
    never: ({ canCome }) => !canCome,
    async happen(given) {
      await setWebhook({ ...given, asks: true, state: 'active' }, PAYMENT_MESSAGE_TYPE)
      const payment = paymentOf(given, null)
      await given.transaction(tx =>
        notify(tx, { payments: [payment], lifecycles: [], isFinal: () => given.final }),
      )
      await storePayment(given, payment, given.tokenMint)
      await setWebhook(given, PAYMENT_MESSAGE_TYPE)
      await given.transaction(tx => release(tx, { policies: [given.policy] }, () => given.final, 500))
    },
  },
  {
    way: 'a payment that waited for finality',
    waited: true,
    type: PAYMENT_MESSAGE_TYPE,
    never: ({ final }) => !final,
    async happen(given) {
      const first = { ...given, asks: true, state: 'active' as const, finality: 'finalized' as const }
      await setWebhook(first, PAYMENT_MESSAGE_TYPE, { filters: null })
      const payment = paymentOf(given)
      await given.transaction(tx => notify(tx, { payments: [payment], lifecycles: [], isFinal: () => false }))
      await storePayment(given, payment, given.tokenMint)
      await setWebhook(given, PAYMENT_MESSAGE_TYPE)
      await given.transaction(tx => release(tx, { finalEvents: [payment.eventId] }, () => false, 500))
    },
  },
]

t.test("every message takes the way that the domain's table says", async t => {
  const { store, database } = await openTestStore(t)
  const run: Run = async (query, values) => (await database.pool.query(query, values)).rows
  const transaction: Given['transaction'] = work => store.database.transaction(work)

  const routeOf = async (webhookId: string): Promise<Route | 'cancel'> => {
    const rows = await run(
      `select case state when 'cancelled' then 'cancel' else 'send' end as way from deliveries where webhook_id = $1
       union all select 'await-' || waits_for from waiting_messages where webhook_id = $1`,
      [webhookId],
    )
    if (rows.length > 1) throw new Error(`more than one row: ${JSON.stringify(rows)}`)
    return (rows[0]?.way as Route | undefined) ?? 'drop'
  }

  for (const { way, type, never, happen, waited } of DRIVERS) {
    for (const combination of COMBINATIONS.filter(each => !never(each))) {
      const gateway = randomUUID()
      const webhookId = await insertWebhook(database.pool, gateway)
      const policy = combination.canCome ? `policy of ${gateway}` : DIRECT_TRANSFER_POLICY
      await happen({ ...combination, gateway, policy, webhookId, run, store, transaction })
      const { asks, state, finality, tokenMint, final } = combination
      const expected = route(
        {
          active: state === 'active' || (state === 'off' && waited === true),
          eventTypes: asks ? [type] : ['webhook.failing'],
          finality,
          filters: FILTERS,
        },
        { type, policy },
        { recipient: 'R', tokenMint, trackingId: null },
        final,
      )
      const isCancelled = state === 'off' && expected === 'send'
      const chosen = await routeOf(webhookId)
      t.equal(chosen, isCancelled ? 'cancel' : expected, `${way}: ${JSON.stringify(combination)}`)
    }
  }
})
