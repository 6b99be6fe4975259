// What gateways expect: created and cancelled while a history is stored, and what must become of it.
import { NOTHING_PAID, stateOf, type ExpectationState } from '@payment-tracking/domain'
import {
  expectationOf,
  findNoticeProblems,
  labelOf,
  noticesOf,
  type ExpectedMoment,
  type Model,
  type ModelSum,
  type Notice,
  type Row,
} from '@payment-tracking/testkit/oracle'
import {
  cancelExpectation,
  ExpectationCountingError,
  ExpectationPaidError,
} from '../../src/admin/expectations/cancel-expectation.js'
import { createExpectation } from '../../src/admin/expectations/create-expectation.js'
import { expireExpectations } from '../../src/messages/clock/expire-expectations.js'
import { type CommittedChanges } from '../../src/ingest/batch/batch.js'
import { type Store } from '../../src/core/database/open-store.js'
import { keyOfExpectation, type Expectation } from './expected-plans.js'
import { describeWebhook, type Webhook } from './histories.js'
import type { Run } from './run.js'
import { passes } from './sent-payments.js'

export interface CreatedPlan {
  id: string
  plan: Expectation
  cancelled: boolean
}

/** Does what is commanded at some time of a history. Ingest counts what is new among its work. */
export async function command(
  store: Store,
  created: CreatedPlan[],
  plans: readonly Expectation[],
  { from, to }: { from: number; to: number },
): Promise<void> {
  for (const plan of plans.filter(each => from <= each.created && each.created < to)) {
    const { record } = await createExpectation(store, { ...plan, reference: null })
    created.push({ id: record.id, plan, cancelled: false })
  }
  for (const each of created) {
    const { cancelled, created: begun, gateway } = each.plan
    if (cancelled === null || each.cancelled) continue
    const at = Math.max(cancelled, begun)
    if (at < from || at >= to) continue
    try {
      await cancelExpectation(store, gateway, each.id)
      each.cancelled = true
    } catch (error) {
      // Nobody knows yet what a new one is.
      if (!(error instanceof ExpectationPaidError || error instanceof ExpectationCountingError)) throw error
    }
  }
}

/** What the scheduler writes. @returns what committed */
export async function schedule(store: Store): Promise<CommittedChanges[]> {
  const changes: CommittedChanges[] = []
  await expireExpectations(store, {
    limit: 10,
    onPage: page => {
      if (page.expectations.length > 0) changes.push({ ...EMPTY, ...page })
      return Promise.resolve(true)
    },
  })
  return changes
}

const EMPTY = {
  epoch: '',
  batchId: null,
  payments: [],
  retractions: [],
  lifecycles: [],
  announcementIds: [],
  feeds: [],
  lastPosition: null,
}

/** By the contract alone. */
function cellsOf({ all, final }: Record<'all' | 'final', ModelSum>): Record<string, string> {
  return {
    counting: 'false',
    state: all.state,
    final_state: final.state,
    paid_amount: String(all.paidAmount),
    in_time_amount: String(all.inTimeAmount),
    payment_count: String(all.payments.length),
    final_paid_amount: String(final.paidAmount),
    final_in_time_amount: String(final.inTimeAmount),
    final_payment_count: String(final.payments.length),
  }
}

const rowsById = ({ tables }: Run): Map<string, Row> =>
  new Map(tables.expectations.map(row => [String(row.id), row]))

/** How each expectation ends, by its key. @param but tracking IDs that are left out */
export function endsOf(run: Run, but: ReadonlySet<string | null>): Map<string, string> {
  const rows = rowsById(run)
  return new Map(
    run.expected
      .filter(({ plan }) => !but.has(plan.trackingId))
      .map(({ id, plan }) => {
        const { id: _, changes: _all, final_changes: _final, ...cells } = rows.get(id)!
        return [keyOfExpectation(plan), JSON.stringify(cells)]
      }),
  )
}

/** @returns a line for each wrong figure, and each notice that is missing, wrong, or sent twice */
export function findExpectedProblems(run: Run, model: Model): string[] {
  const rows = rowsById(run)
  const problems: string[] = []
  const sent = sentIn(run)
  for (const each of run.expected) {
    const { id, plan, cancelled } = each
    const add = (what: string) =>
      problems.push(`expected ${plan.amount} by ${keyOfExpectation(plan)}: ${what}`)
    const row = rows.get(id)!
    const wanted = expectationOf({ ...plan, cancelled }, model, new Date())
    for (const [column, cell] of Object.entries(cellsOf(wanted)))
      if (String(row[column]) !== cell) add(`${column} is ${String(row[column])}, and must be ${cell}`)
    if (!cancelled && (row.paid !== row.paid_amount || row.paid_final !== row.final_paid_amount))
      add('the payments that count have another sum')
    const path = pathOf(run, each)
    const last = path.at(-1)!
    if (
      last.state !== wanted.all.state ||
      last.paidAmount !== wanted.all.paidAmount ||
      path.length - 1 !== Number(row.changes)
    )
      add(
        `sockets are sent ${path.map(({ state, paidAmount }) => `${state} of ${paidAmount}`).join(', ')} of ${String(row.changes)} changes`,
      )
    for (const [nth, webhook] of run.history.webhooks.entries()) {
      const notices = sent.get(`${run.webhookIds[nth]} ${id}`) ?? []
      if (!asks(webhook, plan) && notices.length > 0) add(`${describeWebhook(webhook)} is sent`)
      if (!asks(webhook, plan) || model.everDeleted.has(plan.gateway)) continue
      const isFinal = webhook.finality === 'finalized'
      const { state } = isFinal ? wanted.final : wanted.all
      const changes = Number(isFinal ? row.final_changes : row.changes)
      for (const problem of findNoticeProblems(
        { id, over: isFinal ? 'final' : 'all', changes, state },
        notices,
      ))
        add(`${describeWebhook(webhook)}\n    ${problem}`)
      const must = path.slice(1).flatMap((after, at) => noticesOf(path[at]!, after))
      const types = notices.map(({ type }) => type)
      if (!isFinal && types.join() !== must.join())
        add(`${describeWebhook(webhook)}\n    is sent ${types.join()}, and must be ${must.join()}`)
    }
    for (const { state, paidAmount } of [...sent].flatMap(([key, of]) => (key.endsWith(id) ? of : [])))
      if (state !== stateOf({ ...plan, cancelledAt: null }, { ...NOTHING_PAID, paidAmount }, new Date()))
        add(`a notice says ${state} of ${paidAmount}`)
  }
  for (const { gateway, open } of run.tables.expectation_counts) {
    const rows = run.tables.expectations.filter(row => row.gateway === gateway && row.state === 'open')
    if (Number(open) !== rows.length) problems.push(`${String(open)} are open, and it must be ${rows.length}`)
  }
  const messages = run.tables.deliveries
    .filter(isOfExpectation)
    .map(row => `${row.webhook_id} ${row.message_id}`)
  if (new Set(messages).size !== messages.length) problems.push('a notice has the id of another')
  return problems
}

interface SentRecord {
  id: string
  type: string
  state: ExpectationState
  paidAmountString: string
}
const momentOf = ({ state, paidAmountString }: SentRecord): ExpectedMoment => ({
  state,
  paidAmount: BigInt(paidAmountString),
})

/** From the creation, over the commits. */
function pathOf({ committed }: Run, { id }: CreatedPlan): ExpectedMoment[] {
  const changes = committed.flatMap(({ expectations }) => expectations.filter(each => each.id === id))
  return [
    { state: 'open', paidAmount: 0n },
    ...changes.map(({ data }) => momentOf(JSON.parse(data) as SentRecord)),
  ]
}

const asks = (webhook: Webhook, plan: Expectation): boolean =>
  webhook.gateway === plan.gateway &&
  webhook.types.includes('expectation.paid') &&
  passes(webhook, filtered(plan))

const filtered = ({ recipient, tokenMint, trackingId }: Expectation) => ({ recipient, tokenMint, trackingId })

const isOfExpectation = ({ type }: Row): boolean => String(type).startsWith('expectation.')

/** By webhook and expectation, in the order in which they are sent. */
function sentIn({ tables }: Run): Map<string, Notice[]> {
  const sent = new Map<string, Notice[]>()
  for (const row of tables.deliveries.filter(isOfExpectation)) {
    const { data } = JSON.parse(String(row.body)) as { data: SentRecord }
    const key = `${row.webhook_id} ${data.id}`
    const notice = { ...momentOf(data), id: String(row.message_id), type: String(row.type) }
    sent.set(key, [...(sent.get(key) ?? []), notice])
  }
  return sent
}

export const describeExpectation = ({ plan, cancelled }: CreatedPlan): string =>
  `${labelOf(plan.gateway)} expects ${plan.amount} by ${keyOfExpectation(plan)}${plan.expiresAt ? ` until ${plan.expiresAt.toISOString()}` : ''}, created at ${plan.created} of the time${cancelled ? `, cancelled at ${plan.cancelled}` : ''}`
