// Compares the life-cycle events that endpoints received with the events of the chain. Each may be told once.
//
// Which of them are told can depend on the order of arrival. For example, ingest does not tell an incarnation that had
// ended when its Created event arrived. This file therefore requires only the events that every order of arrival tells:
// those of the latest incarnation of each policy without retracted events.
import {
  isCreated,
  isDeleted,
  isStatus,
  type Enum,
  type Model,
  type ResolvedEvent,
} from '@payment-tracking/testkit/oracle'
import type { Endpoint } from '../load/receivers.js'
import { compareEnd, type DeliveryRow } from './compare-deliveries.js'
import type { Differences } from './differences.js'
import type { StoredEvent } from './stored-events.js'

const GRACE_SECONDS = 7_200
/** A date is reported within this time; nothing of the plan is due in this span by chance. */
const NOTIFIED_WITHIN_SECONDS = 60
const OVERDUE_AFTER_SECONDS = GRACE_SECONDS + NOTIFIED_WITHIN_SECONDS
const OF_TIME = new Set(['subscription.due_soon', 'subscription.overdue', 'subscription.expired'])

interface Notified {
  row: DeliveryRow
  policy: string
  eventId: string | null
  dueAt: number | null
}

interface Observed {
  deliveries: readonly DeliveryRow[]
  endpoints: readonly Endpoint[]
  model: Model
  storedOf: ReadonlyMap<string, StoredEvent>
}

export function compareLifecycle(
  { deliveries, endpoints, model, storedOf }: Observed,
  differences: Differences,
): void {
  const say = (what: string) => differences.add('life cycle', what)
  const { histories } = model
  for (const endpoint of endpoints.filter(({ behaviour }) => behaviour === 'lifecycle')) {
    const rows = deliveries.filter(row => Number(row.webhook_id) === endpoint.webhookId)
    const notified = rows.map(row => readNotified(row, say))
    for (const { row } of notified)
      compareEnd(endpoint, row, false, what => say(`${row.type} ${row.id} ${what}`))
    compareRepetitions(notified, histories, say)
    for (const [policy, history] of histories) {
      const ofPolicy = notified.filter(each => each.policy === policy)
      const present = model.policies.get(policy)
      const isOfGateway = history.filter(isCreated).some(({ data }) => data.gateway === endpoint.gateway)
      if (!isOfGateway && ofPolicy.length > 0)
        say(`${policy} of another gateway was told to webhook ${endpoint.webhookId}`)
      if (present?.gateway !== endpoint.gateway) continue
      for (const { row } of ofPolicy)
        if (!row.body.includes(`"trackingId":${JSON.stringify(present.trackingId)},`))
          say(`${row.type} of ${policy} has another tracking ID`)
      for (const owed of listOwed(history, storedOf, endpoint.storedBefore, present.status))
        if (
          !ofPolicy.some(
            ({ row, eventId }) => row.type === owed.type && (owed.eventId ?? eventId) === eventId,
          )
        )
          say(`${owed.type} of ${policy} was never told`)
      const due = present.nextPaymentDue
      const isOverdue = due !== null && Number(due) + OVERDUE_AFTER_SECONDS < Date.now() / 1000
      if (present.live && present.status === 'active' && isOverdue)
        if (!ofPolicy.some(({ row, dueAt }) => row.type === 'subscription.overdue' && dueAt === Number(due)))
          say(`subscription.overdue of ${policy} at ${due} was never told`)
    }
    const strangers = notified.filter(({ policy }) => !histories.has(policy))
    for (const { row, policy } of strangers) say(`${row.type} is of an unknown policy ${policy}`)
  }
}

function readNotified(row: DeliveryRow, say: (what: string) => void): Notified {
  const body = JSON.parse(row.body) as { id: string; type: string; data: Record<string, unknown> }
  if (body.id !== row.message_id) say(`${row.id} has the id ${body.id} in its body, not ${row.message_id}`)
  if (body.type !== row.type) say(`${row.id} is of type ${body.type} in its body, not ${row.type}`)
  const { paymentPolicy, eventId, dueAt } = body.data
  if (eventId !== row.event_id)
    say(`${row.type} ${row.id} names event ${String(eventId)}, not ${row.event_id}`)
  if ((dueAt !== null) !== OF_TIME.has(row.type)) say(`${row.type} ${row.id} has the date ${String(dueAt)}`)
  return {
    row,
    policy: paymentPolicy as string,
    eventId: row.event_id,
    dueAt: dueAt as number | null,
  }
}

/** One message for each type, policy, and event or date. A date can be due once in each incarnation. */
function compareRepetitions(
  notified: readonly Notified[],
  histories: Model['histories'],
  say: (what: string) => void,
): void {
  const counts = new Map<string, { each: Notified; count: number }>()
  for (const each of notified) {
    const key = `${each.row.type} of ${each.policy} at ${each.eventId ?? each.dueAt}`
    counts.set(key, { each, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  for (const [key, { each, count }] of counts) {
    const incarnations = histories.get(each.policy)?.filter(isCreated).length ?? 1
    const most = each.eventId === null ? incarnations : 1
    if (count > most) say(`${key} was told ${count} times`)
  }
}

/** What every order of arrival must report of the latest incarnation. */
function listOwed(
  history: readonly ResolvedEvent[],
  storedOf: Observed['storedOf'],
  storedBefore: number,
  status: string,
): { type: string; eventId: string | null }[] {
  if (history.some(({ retracted }) => retracted)) return []
  const begin = history.findLastIndex(isCreated)
  const created = storedOf.get(history[begin]!.key)
  if (created === undefined) return []
  const known = Math.max(created.position, storedBefore)
  const later = history.slice(begin + 1).flatMap(event => {
    const type = isStatus(event) ? typeOfChange(event) : isDeleted(event) ? 'subscription.deleted' : undefined
    const stored = storedOf.get(event.key)
    // An event that was stored before the Created event is told only if no later event replaced it.
    return type && stored && stored.position > known ? [{ type, eventId: stored.id }] : []
  })
  return [
    ...(created.position > storedBefore ? [{ type: 'subscription.created', eventId: created.id }] : []),
    ...later,
    ...(status === 'completed' ? [{ type: 'subscription.completed', eventId: null }] : []),
  ]
}

/** The type of the message about a status change. */
const typeOfChange = ({ data }: ResolvedEvent): string =>
  (data.new_status as Enum).variant === 'Paused' ? 'subscription.paused' : 'subscription.resumed'
