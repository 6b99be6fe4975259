// What webhooks were sent of policies: nothing twice, nothing that did not happen, and all that shows in the end.
import {
  compare,
  isCreated,
  isDeleted,
  isStatus,
  labelOf,
  text,
  trackingIdOf,
  type Enum,
  type Model,
  type Row,
  type ResolvedEvent,
} from '@payment-tracking/testkit/oracle'
import { wasEverFinal } from './finality.js'
import { describeWebhook, type Webhook } from './histories.js'
import type { Run } from './run.js'
import { passes, type Details } from './sent-payments.js'

interface Message {
  type: string
  /** the event that caused it */
  cause: string
}

/** @returns a line for each message that is missing, that nobody asked for, or that was sent twice */
export function findLifecycleProblems(run: Run, model: Model): string[] {
  const { history, webhookIds, tables, keyOfId } = run
  const problems: string[] = []
  const sent = new Map<string, Message[]>()
  for (const row of tables.deliveries.filter(({ type }) => String(type).startsWith('subscription.'))) {
    const { data } = JSON.parse(String(row.body)) as { data: { paymentPolicy: string } }
    const key = `${String(row.webhook_id)} ${data.paymentPolicy}`
    sent.set(key, [...(sent.get(key) ?? []), messageOf(row, keyOfId)])
  }
  for (const [nth, webhook] of history.webhooks.entries()) {
    for (const [policy, past] of model.histories) {
      const key = `${webhookIds[nth]} ${policy}`
      const messages = sent.get(key) ?? []
      sent.delete(key)
      for (const problem of judge(webhook, past, messages, { run, model }, policy))
        problems.push(`${describeWebhook(webhook)}\n    of ${labelOf(policy)}: ${problem}`)
    }
  }
  for (const key of sent.keys())
    problems.push(`a message that nobody asked for: ${key.split(' ').map(labelOf).join(' ')}`)
  return problems
}

const messageOf = (row: Row, keyOfId: ReadonlyMap<string, string>): Message => ({
  type: String(row.type),
  cause: keyOfId.get(String(row.event_id)) ?? 'no event',
})

function judge(
  webhook: Webhook,
  past: ResolvedEvent[],
  messages: Message[],
  { run, model }: { run: Run; model: Model },
  policy: string,
): string[] {
  const problems: string[] = []
  const created = past.filter(isCreated)
  const passing = created.filter(
    each =>
      each.data.gateway === webhook.gateway &&
      detailsOf(each, model).some(details => passes(webhook, details)),
  )
  const seen = new Set<string>()
  for (const { type, cause } of messages) {
    const shown = `${type} because of ${cause.split(' ').map(labelOf).join(' ')}`
    if (seen.has(`${type} ${cause}`)) problems.push(`${shown} is sent twice`)
    seen.add(`${type} ${cause}`)
    if (!webhook.types.includes(type) || passing.length === 0)
      problems.push(`${shown} is sent, and not asked for`)
    const event = past.find(({ key }) => key === cause)
    if (!event || !canCause(type, event)) problems.push(`${shown} did not happen`)
    if (webhook.finality === 'finalized' && event && !wasEverFinal(run, event))
      problems.push(`${shown} is sent before it is final`)
  }
  const completed = messages.filter(({ type }) => type === 'subscription.completed').length
  if (completed > created.length)
    problems.push(`completed is sent ${completed} times in ${created.length} incarnations`)
  for (const type of mustBeSent(webhook, past, model, policy)) {
    const times = messages.filter(message => message.type === type).length
    if (times !== 1) problems.push(`${type} is sent ${times} times`)
  }
  return problems
}

/** A change that came before its policy's Created event is sent because of that event. */
function canCause(type: string, event: ResolvedEvent): boolean {
  if (isCreated(event)) return type !== 'subscription.resumed'
  if (type === 'subscription.deleted') return isDeleted(event)
  if (type === 'subscription.paused') return isStatus(event) && statusOf(event) === 'Paused'
  if (type === 'subscription.resumed') return isStatus(event) && statusOf(event) === 'Active'
  return type === 'subscription.completed'
}

const statusOf = ({ data }: ResolvedEvent): string => (data.new_status as Enum).variant

/** What filters can know of a policy at any moment. */
function detailsOf({ data }: ResolvedEvent, { events }: Model): Details[] {
  const mints: (string | null)[] = data.forward_config
    ? [text((data.forward_config as Record<string, string>).input_mint)]
    : [
        null,
        ...events.filter(({ name }) => name === 'UserPaymentCreated').map(each => text(each.data.token_mint)),
      ]
  return mints.map(tokenMint => ({
    recipient: text(data.recipient),
    tokenMint,
    trackingId: trackingIdOf(data.memo),
  }))
}

/** Of a policy with one Created event, whatever the order of arrival: what the policy is in the end. */
function mustBeSent(webhook: Webhook, past: ResolvedEvent[], model: Model, policy: string): string[] {
  const created = past.filter(isCreated)
  const state = model.policies.get(policy)
  const [only] = created
  if (created.length !== 1 || !only || !state) return []
  if (state.gateway !== webhook.gateway || model.everDeleted.has(webhook.gateway)) return []
  const tokenMint = state.tokenMint ?? model.userPayments.get(state.userPayment)?.tokenMint ?? null
  if (!passes(webhook, { recipient: state.recipient, trackingId: state.trackingId, tokenMint })) return []
  if (webhook.finality === 'finalized' && past.some(({ isFinal }) => !isFinal)) return []
  const types = ['subscription.created']
  // One that was retracted can hide a valid one: of changes before the Created event only the latest is sent.
  const theOnly = (is: (event: ResolvedEvent) => boolean) => {
    const [found, ...others] = past.filter(is)
    return found && others.length === 0 && !found.retracted && compare(found, only) > 0 ? found : undefined
  }
  if (theOnly(isDeleted)) types.push('subscription.deleted')
  const change = theOnly(isStatus)
  if (change && statusOf(change) === 'Paused') types.push('subscription.paused')
  if (state.status === 'completed') types.push('subscription.completed')
  return types.filter(type => webhook.types.includes(type))
}
