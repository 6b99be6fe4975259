// Webhooks: every payment of a gateway reaches each of its endpoints at least once, and for one endpoint an event has one id
// and an id has one body, byte for byte. After a loss of commits the position in a body is another one.
import type { Registered, WebhookRequest } from '../entries.js'
import { isPublish, isPush, type History } from '../history.js'
import { collect, type Add, type Violation } from './violation.js'

const EXECUTED = 'payment.executed'
const PAYMENTS = new Set(['PaymentRecord', 'ComposableExecuted'])

export function webhooks(history: History): Violation[] {
  return collect('webhooks at least once, with one id and one body', add => {
    oneIdAndBody(history, add)
    oneNumber(history, add)
    atLeastOnce(history, add)
  })
}

function oneIdAndBody(history: History, add: Add): void {
  const { losses, begin } = history
  /** A request that left before a loss of commits may arrive a moment after it. */
  const isOverLoss = (first: WebhookRequest, second: WebhookRequest) =>
    losses.some(({ at }) => first.at - begin.requestMs <= at && at <= second.at)
  const byId = new Map<string, WebhookRequest>()
  const byEvent = new Map<string, WebhookRequest>()
  for (const request of history.requests) {
    const { who, id, type, eventId } = request
    const first = byId.get(`${who} ${id}`)
    if (first && first.body !== request.body) {
      const mayDiffer = isOverLoss(first, request) && (first.lasting === request.lasting || isOfState(type))
      if (!mayDiffer) add(`${who} got two bodies under id ${id}`, [first, request])
    }
    byId.set(`${who} ${id}`, request)
    if (eventId === undefined || isOfState(type)) continue
    const same = byEvent.get(`${who} ${type} ${eventId}`)
    if (same && same.id !== id && !isOverLoss(same, request))
      add(`${who} got two ids for ${type} of event ${eventId}`, [same, request])
    byEvent.set(`${who} ${type} ${eventId}`, request)
  }
}

/** Policies and expectations are told with what is known of them then; a loss of commits can change that. */
const isOfState = (type: string): boolean => /^(?:subscription|expectation)\./.test(type)

/** A body gives a payment the number that everybody else knows, in one of the databases that there were. */
function oneNumber({ facts, epochs, requests }: History, add: Add): void {
  const numbers = new Map<string, (typeof facts)[number][]>()
  for (const fact of facts) {
    const key = `${fact.trackingId} ${fact.seq}`
    const list = numbers.get(key) ?? []
    numbers.set(key, list)
    if (!list.some(({ epoch }) => epoch === fact.epoch)) list.push(fact)
  }
  for (const request of requests) {
    const { who, trackingId, seq, eventId } = request
    if (trackingId === undefined || seq === undefined) continue
    const known = numbers.get(`${trackingId} ${seq}`) ?? []
    if (known.length < epochs.length || known.length === 0) continue
    if (known.some(fact => fact.eventId === eventId)) continue
    add(`${who} was told of another payment as seq ${seq} of ${trackingId}`, [
      ...known.flatMap(({ seen }) => seen),
      request,
    ])
  }
}

function atLeastOnce(history: History, add: Add): void {
  const { rest, entries, streamed, databaseOf, lastEpoch, requests } = history
  if (!rest) return
  const registered = entries.filter(
    (entry): entry is Registered =>
      'via' in entry && entry.via === 'webhook' && entry.what === 'registered' && entry.faithful,
  )
  const reached = new Set(
    requests.filter(({ type }) => type === EXECUTED).map(({ who, eventId }) => `${who} ${eventId}`),
  )
  const retracted = new Set(
    entries.flatMap(entry => {
      if (isPublish(entry) && entry.kind === 'retraction') return [entry.signature]
      return isPush(entry) && entry.what === 'retraction' ? [entry.signature] : []
    }),
  )
  for (const event of streamed) {
    const database = databaseOf.get(event.connection)
    if (!PAYMENTS.has(event.name) || database?.epoch !== lastEpoch || retracted.has(event.signature)) continue
    for (const webhook of registered) {
      if (webhook.gateway !== event.gateway || event.position <= webhook.position) continue
      if (!reached.has(`${webhook.who} ${event.eventId}`))
        add(`${webhook.who} was never told of payment ${event.eventId}`, [webhook, database, event, rest])
    }
  }
}
