// What gateways expect: created and cancelled while a history is stored, and what must become of it.
import { NOTICES, stateOf, type ExpectationState, type ExpectedSums } from '@payment-tracking/domain'
import { labelOf, type Model, type Row } from '@payment-tracking/testkit/oracle'
import {
  cancelExpectation,
  createExpectation,
  ExpectationPaidError,
  type CommittedNews,
  type Store,
} from '../../src/index.js'
import { keyOfExpectation, type Expectation } from './expected-plans.js'
import { describeWebhook, type Webhook } from './histories.js'
import type { Run } from './run.js'
import { passes } from './told-payments.js'

export interface CreatedPlan {
  id: string
  plan: Expectation
  /** the states that it went through, as commits and commands tell */
  path: ExpectationState[]
  cancelled: boolean
}

const EMPTY = {
  epoch: '',
  batchId: null,
  payments: [],
  retractions: [],
  lifecycles: [],
  announcementIds: [],
  feeds: [],
}

/** Does what is commanded at some time of a history. @returns what committed */
export async function createAll(
  store: Store,
  created: CreatedPlan[],
  plans: readonly Expectation[],
  { from, to }: { from: number; to: number },
): Promise<CommittedNews[]> {
  const news: CommittedNews[] = []
  for (const plan of plans.filter(each => from <= each.created && each.created < to)) {
    const { record, deliveries } = await createExpectation(store, { ...plan, reference: null })
    const { state } = record
    // All ends are past: what is met at its creation expired before.
    const path: ExpectationState[] = plan.expiresAt === null ? ['open'] : ['open', 'expired']
    created.push({
      id: record.id,
      plan,
      path: path.at(-1) === state ? path : [...path, state],
      cancelled: false,
    })
    news.push({ ...EMPTY, expectations: [], deliveries })
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
      if (!(error instanceof ExpectationPaidError)) throw error
    }
  }
  return news
}

interface Wanted {
  state: ExpectationState
  finalState: ExpectationState
  cells: Record<string, string>
}

/** By the contract alone. */
function wantedOf({ plan, cancelled }: CreatedPlan, model: Model): Wanted {
  const counts = cancelled
    ? []
    : model.payments.filter(
        ({ event, trackingId, recipient, tokenMint }) =>
          !event.retracted &&
          trackingId === plan.trackingId &&
          recipient === plan.recipient &&
          tokenMint === plan.tokenMint,
      )
  const final = counts.filter(({ event }) => event.isFinal)
  const sum = (of: typeof counts) => of.reduce((total, { amount }) => total + amount, 0n)
  const isInTime = ({ event }: (typeof counts)[number]) =>
    plan.expiresAt === null || event.at <= plan.expiresAt.getTime()
  const terms = { ...plan, cancelledAt: cancelled ? new Date() : null }
  const stateOver = (of: typeof counts) => {
    const sums: ExpectedSums = { paidAmount: sum(of), inTimeAmount: 0n, paymentCount: 0n }
    return stateOf(terms, sums, new Date())
  }
  const [state, finalState] = [stateOver(counts), stateOver(final)]
  return {
    state,
    finalState,
    cells: {
      counting: 'false',
      state,
      final_state: finalState,
      paid_amount: String(sum(counts)),
      in_time_amount: String(sum(counts.filter(isInTime))),
      payment_count: String(counts.length),
      final_paid_amount: String(sum(final)),
      final_in_time_amount: String(sum(final.filter(isInTime))),
      final_payment_count: String(final.length),
    },
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
        const { id: _, changes: _changes, ...cells } = rows.get(id)!
        return [keyOfExpectation(plan), JSON.stringify(cells)]
      }),
  )
}

/** @returns a line for each wrong figure, and each notice that is missing, wrong, or told twice */
export function findExpectedProblems(run: Run, model: Model): string[] {
  const rows = rowsById(run)
  const problems: string[] = []
  const told = toldIn(run)
  for (const each of run.expected) {
    const { id, plan, cancelled } = each
    const add = (what: string) =>
      problems.push(`expected ${plan.amount} by ${keyOfExpectation(plan)}: ${what}`)
    const row = rows.get(id)!
    const wanted = wantedOf(each, model)
    for (const [column, cell] of Object.entries(wanted.cells))
      if (String(row[column]) !== cell) add(`${column} is ${String(row[column])}, and must be ${cell}`)
    if (!cancelled && (row.paid !== row.paid_amount || row.paid_final !== row.final_paid_amount))
      add('the payments that count have another sum')
    const path = pathOf(run, each)
    if (path.at(-1) !== wanted.state) add(`sockets end at ${path.join(', ')}`)
    for (const [nth, webhook] of run.history.webhooks.entries()) {
      const types = (told.get(`${run.webhookIds[nth]} ${id}`) ?? []).map(({ type }) => type)
      const isToldAll = asks(webhook, plan) && !model.everDeleted.has(plan.gateway)
      if (!asks(webhook, plan) && types.length > 0) add(`${describeWebhook(webhook)} is told`)
      if (!isToldAll) continue
      if (webhook.finality === 'finalized') {
        const last = types.at(-1)
        if (!cancelled && !endsIn(last, wanted.finalState))
          add(`final: ${wanted.finalState}, and told last is ${last}`)
        continue
      }
      const must = path.slice(1).flatMap((state, at) => NOTICES[path[at]!][state])
      if (types.join() !== must.join())
        add(`${describeWebhook(webhook)}\n    is told ${types.join()}, and must be ${must.join()}`)
    }
    for (const { state, paidAmountString } of [...told].flatMap(([key, of]) =>
      key.endsWith(id) ? of : [],
    )) {
      const sums = { paidAmount: BigInt(paidAmountString), inTimeAmount: 0n, paymentCount: 0n }
      if (state !== stateOf({ ...plan, cancelledAt: null }, sums, new Date()))
        add(`a notice says ${state} of ${paidAmountString}`)
    }
  }
  const messages = run.tables.deliveries
    .filter(isOfExpectation)
    .map(row => `${row.webhook_id} ${row.message_id}`)
  if (new Set(messages).size !== messages.length) problems.push('a notice has the id of another')
  return problems
}

/** From the creation, over the commits, to the cancelling. */
function pathOf({ committed }: Run, { id, path, cancelled }: CreatedPlan): ExpectationState[] {
  const changes = committed.flatMap(({ expectations }) => expectations.filter(each => each.id === id))
  const states = changes.map(({ data }) => (JSON.parse(data) as { state: ExpectationState }).state)
  return [...path, ...states, ...(cancelled ? (['cancelled'] as const) : [])]
}

const asks = (webhook: Webhook, plan: Expectation): boolean =>
  webhook.gateway === plan.gateway &&
  webhook.types.includes('expectation.paid') &&
  passes(webhook, filtered(plan))

const filtered = ({ recipient, tokenMint, trackingId }: Expectation) => ({ recipient, tokenMint, trackingId })

/** Whether an expectation whose last notice this is may have ended in a state. */
function endsIn(last: string | undefined, state: ExpectationState): boolean {
  if (state === 'open')
    return last === undefined || ['expectation.reopened', 'expectation.underpaid'].includes(last)
  if (state === 'underpaid') return last === 'expectation.underpaid' || last === 'expectation.reopened'
  return last === `expectation.${state}`
}

interface Told {
  type: string
  state: ExpectationState
  paidAmountString: string
}

const isOfExpectation = ({ type }: Row): boolean => String(type).startsWith('expectation.')

/** By webhook and expectation, in the order in which they are sent. */
function toldIn({ tables }: Run): Map<string, Told[]> {
  const told = new Map<string, Told[]>()
  for (const row of tables.deliveries.filter(isOfExpectation)) {
    const { data } = JSON.parse(String(row.body)) as { data: Omit<Told, 'type'> & { id: string } }
    const key = `${row.webhook_id} ${data.id}`
    told.set(key, [...(told.get(key) ?? []), { ...data, type: String(row.type) }])
  }
  return told
}

export const describeExpectation = ({ plan, cancelled }: CreatedPlan): string =>
  `${labelOf(plan.gateway)} expects ${plan.amount} by ${keyOfExpectation(plan)}${plan.expiresAt ? ` until ${plan.expiresAt.toISOString()}` : ''}, created at ${plan.created} of the time${cancelled ? `, cancelled at ${plan.cancelled}` : ''}`
