// Deliveries: one for each payment and webhook of its gateway, attempts recorded before requests, an unchanging body
// and id, and signatures that every receiver can verify.
import { bodyText } from '@payment-tracking/store/core'
import type { ModelPayment } from '@payment-tracking/testkit/oracle'
import { Webhook } from 'standardwebhooks'
import type { CommitChecker } from '../load/commit-checker.js'
import type { Endpoint } from '../load/receivers.js'
import { isOfPayments, type EndpointBehaviour } from '../plan/world.js'
import type { Differences } from './differences.js'
import { detailsOf } from './details-of.js'
import type { StoredEvent } from './stored-events.js'

export interface DeliveryRow {
  id: string
  webhook_id: string
  /** null for what time caused */
  event_id: string | null
  type: string
  message_id: string
  body: string
  state: string
  defer_reason: string | null
  attempts: number[] | null
  outcomes: (string | null)[] | null
}

const EXECUTED = 'payment.executed'
const RETRACTED = 'payment.retracted'
const ENDED = new Set(['delivered', 'failed'])
/** 1 try and 3 retries. */
const TRIES = 4

export const readDeliveries = (checker: CommitChecker): Promise<DeliveryRow[]> =>
  checker.query<DeliveryRow & Record<string, unknown>>(`
    select d.id::text, d.webhook_id::text, d.event_id, d.type, m.message_id, ${bodyText('m')} as body, d.state,
           d.defer_reason,
           array_agg(a.number::int order by a.number) filter (where a.number is not null) as attempts,
           array_agg(a.outcome order by a.number) filter (where a.number is not null) as outcomes
      from deliveries d join messages m on m.id = d.message left join delivery_attempts a on a.delivery_id = d.id
     group by d.id, m.id order by d.id`)

/** Their requests never fail by themselves. */
const HEALTHY: ReadonlySet<EndpointBehaviour> = new Set([
  'healthy',
  'lifecycle',
  'expected',
  'expected-final',
])

/** @param all every delivery; compareLifecycle and compareExpectations compare those that are of no payment */
export function compareDeliveries(
  all: readonly DeliveryRow[],
  endpoints: readonly Endpoint[],
  payments: readonly ModelPayment[],
  storedOf: ReadonlyMap<string, StoredEvent>,
  differences: Differences,
): void {
  for (const endpoint of endpoints) compareRequests(endpoint, all, differences)
  const notified = endpoints.filter(({ behaviour }) => isOfPayments(behaviour))
  const ids = new Set(notified.map(({ webhookId }) => String(webhookId)))
  const rows = all.filter(row => ids.has(row.webhook_id))
  const byKey = new Map(rows.map(row => [`${row.webhook_id} ${row.event_id} ${row.type}`, row]))
  if (byKey.size !== rows.length)
    differences.add('deliveries', 'one event has two deliveries for one webhook')
  const expected = new Set<string>()
  for (const endpoint of notified) {
    for (const payment of payments.filter(({ gateway }) => gateway === endpoint.gateway)) {
      const stored = storedOf.get(payment.event.key)
      if (!stored) continue
      const key = `${endpoint.webhookId} ${stored.id} ${EXECUTED}`
      const row = byKey.get(key)
      const retraction = byKey.get(`${endpoint.webhookId} ${stored.id} ${RETRACTED}`)
      compareRetraction(endpoint, payment, row, retraction, differences)
      if (retraction) expected.add(`${endpoint.webhookId} ${stored.id} ${RETRACTED}`)
      // A payment that is not final yet waits, and a payment that was retracted before its delivery has none.
      const isOwed = !payment.event.retracted && (endpoint.behaviour !== 'final' || payment.event.isFinal)
      if (isOwed || payment.event.retracted) expected.add(key)
      if (row) compareDelivery(endpoint, payment, stored, row, differences)
      else if (isOwed)
        differences.add('deliveries', `${payment.event.signature} has none for webhook ${endpoint.webhookId}`)
    }
  }
  for (const [key, { id }] of byKey) {
    if (!expected.has(key))
      differences.add('deliveries', `delivery ${id} is of no payment of its webhook's gateway`)
  }
}

/** Who was asked to take a payment, and wants to know, is told that it was retracted; nobody else is. */
function compareRetraction(
  { behaviour, webhookId }: Endpoint,
  { event }: ModelPayment,
  row: DeliveryRow | undefined,
  retraction: DeliveryRow | undefined,
  differences: Differences,
): void {
  const isOwed = behaviour === 'healthy' && event.retracted && (row?.attempts?.length ?? 0) > 0
  if (isOwed === (retraction !== undefined)) return
  const what = isOwed ? 'was never told' : 'was told'
  differences.add('deliveries', `webhook ${webhookId} ${what} that ${event.signature} was retracted`)
}

function compareDelivery(
  endpoint: Endpoint,
  payment: ModelPayment,
  stored: StoredEvent,
  row: DeliveryRow,
  differences: Differences,
): void {
  const say = (what: string) =>
    differences.add(
      'deliveries',
      `${row.id} of ${payment.event.signature} to ${endpoint.behaviour} webhook ${endpoint.webhookId} ${what}`,
    )
  compareBody(payment, stored, row, say)
  compareEnd(endpoint, row, payment.event.retracted, say)
}

/**
 * Whether deliveries of the endpoint may wait for its breaker at rest. After a worker's restart a flaky endpoint's first requests
 * may all be retries. Its breaker then opens, and each failed probe keeps it open for another minute: nothing is lost, only
 * late. The same holds for a slow endpoint, whose answers time out on a machine with too much to do. The breaker of any other
 * endpoint closes with its next probe.
 */
const mayBeDeferred = ({ behaviour }: Endpoint): boolean => behaviour === 'flaky' || behaviour === 'slow'

/** Compares the attempts and the state of a delivery with what its endpoint answered. */
export function compareEnd(
  endpoint: Endpoint,
  row: DeliveryRow,
  retracted: boolean,
  say: (what: string) => void,
): void {
  const attempts = row.attempts ?? []
  const answers = endpoint.answers.get(row.message_id) ?? []
  if (attempts.some((number, index) => number !== index + 1)) say(`has attempts ${attempts.join()}`)
  if (attempts.length > TRIES) say(`had ${attempts.length} attempts`)
  if (answers.length > attempts.length)
    say(`was requested ${answers.length} times, ${attempts.length} are on record`)
  // A retracted payment is not delivered any more; a running request may have been accepted.
  if (retracted && row.state === 'cancelled') return
  // A dead endpoint's deliveries may still be held back by its breaker; they may never be delivered.
  if (endpoint.behaviour === 'dead') {
    if (row.state === 'delivered' || row.state === 'cancelled') say(`is ${row.state}`)
    return
  }
  if (mayBeDeferred(endpoint) && row.defer_reason === 'breaker open') return
  if (!ENDED.has(row.state)) say(`is still ${row.state} after ${attempts.length} attempts`)
  if (row.state === 'delivered' && !answers.includes(200) && !endpoint.earlier.get(row.message_id))
    say('is delivered, but was never accepted')
  if (row.state === 'failed' && attempts.length < TRIES) say(`failed after ${attempts.length} attempts`)
  if (row.state === 'failed' && row.outcomes?.includes('accepted')) say('failed, though it was accepted')
  if (row.state === 'failed' && HEALTHY.has(endpoint.behaviour) && !row.outcomes?.includes('interrupted')) {
    say(`failed with ${row.outcomes?.join()}`)
  }
}

/** A memo that is no tracking ID, as records say it: up to its first NUL. Executions of older programs have none. */
function memoTextOf(memo: unknown): string {
  const bytes = memo instanceof Uint8Array ? Buffer.from(memo) : Buffer.alloc(1)
  const end = bytes.indexOf(0)
  return bytes.toString('utf8', 0, end === -1 ? bytes.length : end)
}

interface Body {
  id: string
  type: string
  timestamp: string
  data: Record<string, unknown>
}

function compareBody(
  payment: ModelPayment,
  stored: StoredEvent,
  row: DeliveryRow,
  say: (what: string) => void,
): void {
  const body = JSON.parse(row.body) as Body
  const expected: Record<string, unknown> = {
    ...detailsOf(payment),
    trackingId: payment.trackingId,
    eventId: stored.id,
    timestamp: Number(payment.event.data.timestamp),
    memo: payment.trackingId ?? memoTextOf(payment.event.data.memo),
    seq: stored.seq,
  }
  if (body.id !== row.message_id) say(`has the id ${body.id} in its body and ${row.message_id} in its row`)
  if (body.type !== 'payment.executed') say(`is of type ${body.type}`)
  if (Date.parse(body.timestamp) !== payment.event.at) say(`says ${body.timestamp}`)
  if (!row.body.includes(`"amount":${payment.amount},`)) say('does not have the amount digit by digit')
  for (const [name, value] of Object.entries(expected)) {
    if (body.data[name] !== value)
      say(`says ${name} ${String(body.data[name])}; it should be ${String(value)}`)
  }
}

const withoutPosition = (body: string): string => body.replace(/"position":\d+,/, '')

/** What the endpoint got, seen with its own eyes. */
function compareRequests(endpoint: Endpoint, rows: readonly DeliveryRow[], differences: Differences): void {
  const say = (what: string) => differences.add('requests', `webhook ${endpoint.webhookId} got ${what}`)
  const verifier = new Webhook(endpoint.secret)
  const bodies = new Map(
    rows.filter(row => Number(row.webhook_id) === endpoint.webhookId).map(row => [row.message_id, row.body]),
  )
  for (const { headers, body } of endpoint.receiver.requests) {
    const id = String(headers['webhook-id'])
    const stored = bodies.get(id)
    if (stored === undefined && endpoint.earlier.has(id)) continue
    if (stored === undefined) say(`id ${id}, which is no delivery of its own`)
    // The state of what is told, and the position of a payment, may differ when the database lost the first message.
    else if (
      stored !== body &&
      !(
        endpoint.earlier.has(id) &&
        (!isOfPayments(endpoint.behaviour) || withoutPosition(stored) === withoutPosition(body))
      )
    )
      say(`another body under id ${id} than is on record`)
    try {
      // The library refuses what is older than five minutes; long runs are checked by signature alone.
      const at = new Date(Number(headers['webhook-timestamp']) * 1000)
      if (verifier.sign(id, at, body) !== headers['webhook-signature'])
        say(`a signature of ${id} that does not hold`)
    } catch (error) {
      say(`${id}, which cannot be verified: ${(error as Error).message}`)
    }
  }
}
