// Which payments the webhooks and sockets must have been sent, may have been sent, and were sent.
import { judgeFilters } from '@payment-tracking/domain'
import {
  labelOf,
  push,
  trackingIdOf,
  type Model,
  type ModelPayment,
  type Row,
} from '@payment-tracking/testkit/oracle'
import { wasEverFinal } from './finality.js'
import { describeWebhook, type Webhook } from './histories.js'
import type { Run } from './run.js'

export interface Details {
  recipient: string | null
  tokenMint: string | null
  trackingId: string | null
  amount?: bigint
}

/** Whether a webhook's filters let a message pass. An unknown detail passes no filter that asks for it. */
export const passes = ({ filters }: Webhook, { amount, ...details }: Details): boolean =>
  judgeFilters(filters, { ...details, ...(amount !== undefined && { amount: String(amount) }) }) === 'passes'

/**
 * The details of a payment at any moment. The recipient of another incarnation counts until the payment's own incarnation
 * is known, and what a retracted transaction said counts until the retraction.
 */
function detailsOverTime(
  { event, policy, recipient, tokenMint, trackingId, amount }: ModelPayment,
  model: Model,
): Details[] {
  const created = policy === null ? [] : (model.created.get(policy) ?? [])
  const recipients = new Set([recipient])
  const mints = new Set([tokenMint])
  const trackingIds = new Set([trackingId])
  for (const { data } of created) {
    if (event.data.recipient === undefined) recipients.add(data.recipient as string)
    if (event.data.memo === undefined) trackingIds.add(trackingIdOf(data.memo))
  }
  if (policy !== null && tokenMint === null)
    for (const { data } of model.events.filter(({ name }) => name === 'UserPaymentCreated'))
      mints.add(data.token_mint as string)
  return [...recipients].flatMap(of =>
    [...mints].flatMap(mint =>
      [...trackingIds].map(id => ({ recipient: of, tokenMint: mint, trackingId: id, amount })),
    ),
  )
}

const isForPayments = ({ types }: Webhook, type = 'payment.executed'): boolean =>
  type === 'payment.executed' && types.length === 0 ? true : types.includes(type)

/** @returns a line for each message that is missing, that nobody asked for, or that was sent twice */
export function findSentProblems(run: Run, model: Model): string[] {
  const { history, webhookIds, tables, keyOfId } = run
  const problems: string[] = []
  const payments = tables.deliveries.filter(({ type }) => String(type).startsWith('payment.'))
  const sent = new Map<string, Row[]>()
  for (const row of payments)
    push(sent, `${row.webhook_id} ${row.type} ${keyOfId.get(String(row.event_id))}`, row)
  for (const [nth, webhook] of history.webhooks.entries()) {
    for (const payment of model.payments) {
      if (payment.gateway !== webhook.gateway) continue
      const rowsOf = (type: string) => {
        const key = `${webhookIds[nth]} ${type} ${payment.event.key}`
        const rows = sent.get(key) ?? []
        sent.delete(key)
        return rows
      }
      const add = (what: string) =>
        problems.push(`${describeWebhook(webhook)}\n    of ${nameOf(payment)}: ${what}`)
      judge(
        payment,
        webhook,
        { run, model },
        { executed: rowsOf('payment.executed'), retracted: rowsOf('payment.retracted') },
        add,
      )
    }
  }
  for (const [key] of sent)
    problems.push(`a message that nobody asked for: ${key.split(' ').map(labelOf).join(' ')}`)
  return problems
}

const nameOf = ({ event }: ModelPayment): string => event.key.split(' ').map(labelOf).join(' ')

function judge(
  payment: ModelPayment,
  webhook: Webhook,
  { run, model }: { run: Run; model: Model },
  rows: { executed: Row[]; retracted: Row[] },
  add: (what: string) => void,
): void {
  const { event, awaitsPolicy } = payment
  const details = detailsOverTime(payment, model)
  const isFinal = event.isFinal || webhook.finality === 'confirmed'
  const may = isForPayments(webhook) && details.some(each => passes(webhook, each))
  // The webhooks of a deleted gateway are stopped, and whether that is before a payment depends on the arrival.
  const isStopped = model.everDeleted.has(webhook.gateway)
  const must =
    isForPayments(webhook) &&
    !isStopped &&
    !awaitsPolicy &&
    isFinal &&
    details.every(each => passes(webhook, each))
  const { executed, retracted } = rows
  if (executed.length > 1) add(`sent ${executed.length} times`)
  if (executed.length > 0 && !may) add('sent, and not asked for')
  if (executed.length > 0 && webhook.finality === 'finalized' && !wasEverFinal(run, event))
    add('sent before it was final')
  if (event.retracted) {
    if (executed.some(({ state }) => state !== 'cancelled')) add('retracted, and still to be sent')
    const asked =
      executed.some(({ attempts_made: attempts }) => attempts !== 0) &&
      isForPayments(webhook, 'payment.retracted')
    if (retracted.length !== (asked && !isStopped ? 1 : 0) && !(asked && isStopped && retracted.length === 1))
      add(`its retraction is sent ${retracted.length} times`)
    return
  }
  if (retracted.length > 0) add('valid, and its retraction is sent')
  if (executed.length > 0 && webhook.finality === 'finalized' && !event.isFinal)
    add('sent before it was final')
  if (executed.length === 0 && must) add('not sent')
}

/** What commits hand to sockets: each payment once, each retraction of a payment that was sent once. */
export function findHandedProblems({ committed, keyOfId, tables }: Run, model: Model): string[] {
  const problems: string[] = []
  const countOf = (ids: readonly string[]) => {
    const counts = new Map<string, number>()
    for (const id of ids) {
      const key = keyOfId.get(id) ?? `an unknown event ${id}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    return counts
  }
  const sent = countOf(committed.flatMap(({ payments }) => payments.map(({ eventId }) => eventId)))
  const retracted = countOf(committed.flatMap(({ retractions }) => retractions.map(({ eventId }) => eventId)))
  for (const payment of model.payments) {
    const { event, awaitsPolicy } = payment
    const [timesSent, timesRetracted] = [sent.get(event.key) ?? 0, retracted.get(event.key) ?? 0]
    const add = (what: string) => problems.push(`commits, of ${nameOf(payment)}: ${what}`)
    if (timesSent > 1) add(`handed over ${timesSent} times`)
    if (timesSent === 0 && !event.retracted && !awaitsPolicy) add('never handed over')
    if (timesSent === 1 && awaitsPolicy && !event.retracted) add('handed over before its policy was known')
    if (timesRetracted > 1 || (timesRetracted > 0 && !event.retracted))
      add(`retracted ${timesRetracted} times`)
    if (timesSent === 1 && event.retracted && timesRetracted === 0) add('sent, and its retraction is not')
  }
  const ids = committed.flatMap(({ deliveries }) => deliveries.map(({ id }) => String(id))).sort()
  const handed = new Set(ids)
  // What its own commit cancels, by the end of its gateway, is nobody's to send.
  const stored = tables.deliveries
    .filter(
      ({ id, state, attempts_made: attempts }) =>
        handed.has(String(id)) || state !== 'cancelled' || attempts !== 0,
    )
    .map(({ id }) => String(id))
    .sort()
  if (ids.join() !== stored.join())
    problems.push(`deliveries ${stored.join()} are stored, and ${ids.join()} handed over`)
  return problems
}
