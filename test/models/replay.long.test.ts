// Traces of the model of deliveries, replayed on the real functions with a real Postgres.
// In one process with others: Quint.
import { testStoreReplays, type Break, type Lane } from './replay/test-replay.js'
import { randomUUID } from 'node:crypto'
import { DELIVERY_TRIES } from '@payment-tracking/contracts'
import { nextDeliveryState } from '@payment-tracking/domain'
import {
  claimDeliveries,
  deactivateWebhooks,
  doWebhookWork,
  finishAttempts,
  deferDeliveries,
  insertMessage,
  putBackDeliveries,
  redeliverOne,
  makeNextDue,
  type ClaimedDelivery,
} from '@payment-tracking/store/deliveries'
import { createWebhook, listDeliveries, updateWebhook } from '@payment-tracking/store/admin'
import type { Bounds } from './plans.js'
import { differenceOf, replaySteps } from './replay/replay-steps.js'
import type { TraceStep, TraceValue } from './replay/walk-model.js'

/** Traces of one kind: the model's bounds, as many tries as the code has among them. */
interface Family {
  name: string
  deliveries: number
  ordered: boolean
  /** of the first cycle: few, so that cycles end */
  firstTries: number
}

const FAMILIES = {
  alone: { name: 'one delivery', deliveries: 1, ordered: false, firstTries: 1 },
  inOrder: { name: 'two ordered deliveries', deliveries: 2, ordered: true, firstTries: DELIVERY_TRIES },
} satisfies Record<string, Family>

const boundsOf = ({ deliveries, ordered, firstTries }: Family): Bounds => ({
  DELIVERIES: deliveries === 1 ? 'Set(1)' : 'Set(1, 2)',
  ORDERED: String(ordered),
  TRIES: String(DELIVERY_TRIES),
  FIRST_TRIES: String(firstTries),
  REDELIVERIES: '3',
  SWITCHES: '2',
  MOST_ATTEMPTS: String(4 * DELIVERY_TRIES),
})

const HOUR_MS = 3_600_000

interface Hand {
  delivery: ClaimedDelivery
  answer: 'accepted' | 'refused' | 'gone'
}

/** What the worker makes of an answer: the same as in services/webhook-worker/src/deliveries/deliver.ts. */
const resultOf = ({ delivery, answer }: Hand) => ({
  deliveryId: delivery.id,
  webhookId: delivery.webhookId,
  messageId: delivery.messageId,
  attempt: delivery.attempt,
  startedAt: delivery.startedAt,
  outcome: answer,
  next: nextDeliveryState('pending', answer === 'refused' && delivery.triesLeft === 0 ? 'exhausted' : answer),
  retryInMs: HOUR_MS,
  durationMs: 20,
  statusCode: null,
  error: null,
  responseHeaders: null,
  responseBody: null,
})

/** Replays one trace. @returns null, or the first step after which the rows differ from the model's */
async function replayDeliveries(
  { store, database: { pool } }: Lane,
  { deliveries, ordered, firstTries }: Family,
  trace: readonly TraceStep[],
): Promise<string | null> {
  const gateway = randomUUID()
  const webhook = await createWebhook(store, { gateway, endpointUrl: 'https://shop.example/', active: true })
  const ids: bigint[] = []
  for (let number = 1; number <= deliveries; number += 1)
    ids.push(
      (await insertMessage(store, webhook.id, { id: randomUUID(), type: 'webhook.test', body: '{}' })).id,
    )
  await updateWebhook(store, gateway, webhook.id, { ordered })
  await pool.query('update deliveries set tries_allowed = $2 where webhook_id = $1', [webhook.id, firstTries])
  const hands = new Map<number, Hand>()
  const idOf = (step: TraceStep): bigint => ids[step.picks.d - 1]!
  const idle = () => [1, 2].find(worker => !hands.has(worker))!

  const actions: Record<string, (step: TraceStep) => Promise<unknown>> = {
    async claim(step) {
      const [claim] = await claimDeliveries(store, [String(idOf(step))], HOUR_MS)
      if (claim?.kind === 'claimed') hands.set(idle(), { delivery: claim.delivery, answer: 'refused' })
    },
    defer: step =>
      deferDeliveries(store, [{ id: String(idOf(step)), forMs: HOUR_MS, reason: 'rate cap' }], 100 * HOUR_MS),
    fallDue: step =>
      pool.query(`update deliveries set due_at = clock_timestamp() - interval '1 s' where id = $1`, [
        idOf(step),
      ]),
    expire: step =>
      pool.query(`update deliveries set claimed_until = clock_timestamp() - interval '1 s' where id = $1`, [
        idOf(step),
      ]),
    redeliver: step => redeliverOne(store, webhook.id, idOf(step)),
    send({ picks }) {
      const hand = hands.get(picks.w)!
      hand.answer = picks.answer
      return Promise.resolve()
    },
    putBackOf: ({ picks }) =>
      putBackDeliveries(store, [
        { delivery: hands.get(picks.w)!.delivery, forMs: HOUR_MS, reason: 'in-flight cap' },
      ]),
    write: ({ picks }) => finishAttempts(store, [resultOf(hands.get(picks.w)!)]),
    judge: () => deactivateWebhooks(store, [webhook.id], 'gone'),
    makeNextDue: () =>
      makeNextDue(store, { webhookId: webhook.id, ordered: true, orderedBy: 'all', orderKey: null }),
    crash: () => Promise.resolve(),
    turnOff: () => updateWebhook(store, gateway, webhook.id, { active: false }),
    turnOn: () => updateWebhook(store, gateway, webhook.id, { active: true }),
    async cancelPage() {
      await pool.query(`update work set next_at = clock_timestamp() where kind = 'cancel' and key = $1`, [
        String(webhook.id),
      ])
      await doWebhookWork(store, { kinds: ['cancel'], only: webhook.id })
    },
  }

  /** The rows, as the model writes them. */
  const read = async () => {
    const { rows } = await pool.query<Record<string, unknown>>(
      `select state, activation, attempts_made as attempts, tries_allowed as allowed,
              case when claimed_until is null then 'none'
                   when claimed_until < clock_timestamp() then 'expired' else 'held' end as claim,
              due_at <= clock_timestamp()::timestamptz(3) as due,
              defer_reason is not distinct from 'earlier delivery' as behind,
              (select coalesce(json_object_agg(number, case when outcome is null then 'open'
                                                            when outcome = 'interrupted' then outcome
                                                            else 'answered' end), '{}')
                 from delivery_attempts where delivery_id = d.id) as tries,
              (select active from webhooks where id = d.webhook_id) as active,
              (select activation from webhooks where id = d.webhook_id) as "onFor"
         from deliveries d where webhook_id = $1 order by id`,
      [webhook.id],
    )
    return rows
  }
  /** The same of the model's state. */
  const expected = (state: TraceValue) =>
    ids.map((_, at) => {
      const d = at + 1
      const tries = Object.entries(state.attempts)
        .map(([key, outcome]) => [...key.split(','), outcome] as [string, string, string])
        .filter(([delivery, , outcome]) => delivery === String(d) && outcome !== 'none')
        .map(([, number, outcome]) => [number, outcome])
      return {
        ...state.rows[d],
        tries: Object.fromEntries(tries),
        active: state.active,
        onFor: state.activation,
      }
    })
  /** As a reader of the API finds them. */
  const found = async () => {
    const deliveries = await listDeliveries(store, webhook.id, { limit: ids.length, offset: 0 })
    return deliveries.map(({ status }) => ({ status })).reverse()
  }
  const foundBy = ({ rows, active, activation }: TraceValue) =>
    ids.map((_, at) => {
      const row = rows[at + 1]
      const isOpen = row.state === 'pending' || row.state === 'waiting'
      const isLive = active && row.activation === activation
      return { status: isOpen && !isLive ? 'cancelled' : row.state }
    })
  const sorted = (rows: readonly Record<string, unknown>[]): string =>
    rows.map(row => JSON.stringify(Object.entries(row).sort())).join('\n')

  return replaySteps(trace, async step => {
    const act = actions[step.action]
    if (!act) throw new Error(`nothing replays ${step.action}`)
    await act(step)
    for (const worker of hands.keys()) if (step.state.works[worker].at === 'idle') hands.delete(worker)
    const is = sorted([...(await read()), ...(await found())])
    const shouldBe = sorted([...expected(step.state), ...foundBy(step.state)])
    return differenceOf(is, shouldBe)
  })
}

/** Breaks of the code that a replay must notice, and the traces that notice them. */
const BREAKS: readonly (Break & { family: Family })[] = [
  {
    name: 'a late failure ends the claim of a later attempt',
    find: 'd.attempts_made = r.number',
    replace: 'true',
    family: FAMILIES.alone,
  },
  {
    name: 'a try beyond the last',
    find: 'd.attempts_made >= d.tries_allowed',
    replace: 'false',
    family: FAMILIES.alone,
  },
  {
    name: 'what turning off has cancelled is live when the webhook is on again',
    find: 'd.activation = w.activation',
    replace: 'true',
    family: FAMILIES.alone,
  },
  {
    name: 'interrupted attempts stay open',
    find: "set outcome = 'interrupted'",
    replace: 'set outcome = null',
    family: FAMILIES.alone,
  },
  {
    name: 'a claim that is put back uses up a try',
    find: 'attempts_made = d.attempts_made - 1',
    replace: 'attempts_made = d.attempts_made',
    family: FAMILIES.alone,
  },
  {
    name: 'a late return of a claim ends the claim of a later attempt',
    find: 'd.attempts_made = c.number',
    replace: 'true',
    family: FAMILIES.alone,
  },
  {
    name: 'a redelivery opens no new cycle',
    find: 'd.attempts_made + ',
    replace: '0 + ',
    family: FAMILIES.alone,
  },
  {
    name: 'a claim takes what is behind an earlier delivery',
    find: 'b.id < d.id',
    replace: 'false',
    family: FAMILIES.inOrder,
  },
]

/** An answer that comes after the claim has passed to another is rare: a claim must end while its answer is on the way. */
const WEIGHTS = { expire: 3, claim: 2, crash: 0.3, putBackOf: 0.5, turnOff: 0.3 }

await testStoreReplays(
  Object.values(FAMILIES).map(family => ({
    name: 'deliveries',
    bounds: boundsOf(family),
    title: `deliveries, ${family.name}`,
    // One kind alone has the rare steps that most breaks need.
    traces: family.ordered ? 8 : 60,
    steps: 60,
    weights: WEIGHTS,
    actions: 12,
    replay: (lane, trace) => replayDeliveries(lane, family, trace),
    breaks: BREAKS.filter(each => each.family === family),
  })),
)
