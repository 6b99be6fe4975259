// What waited, and may go now.
import type { DeliveryRef } from '@payment-tracking/contracts'
import { route } from '@payment-tracking/domain'
import { empty, sql, type Sql, type Tx } from '../database/sql.js'
import { readWaitingFacts, type WaitingWithFacts } from './waiting-facts.js'
import { RoutedMessages } from './routed-messages.js'
import type { IsFinal } from './tell.js'
import { deleteWaiting, lockWaiting, type WaitingRow } from './waiting-messages.js'

/** What became known. */
export interface Released {
  /** null where the highest final slot did not move */
  finalizedSlot: bigint | null
  /** events that are final themselves */
  finalEvents: readonly string[]
  /** events of payments whose facts changed */
  knownPayments: readonly string[]
  /** policies whose facts changed */
  knownPolicies: readonly string[]
  /** set by `release` for its next page */
  after?: WaitingPlace | undefined
}

/** A place among messages that wait for facts. */
export interface WaitingPlace {
  policy: string
  webhookId: string
  messageId: string
}

export interface ReleasedPage {
  deliveries: DeliveryRef[]
  /** what the caller passes to the next call; null when nothing is left */
  rest: Released | null
}

/** Rows of one call. They bound the time for which a call holds locks. */
const PAGE = 500

/**
 * Decides again about one page of the messages that waited for what is known now: writes deliveries, deletes what is
 * dropped, and keeps what waits for the other thing. The caller calls it until nothing is left, in one transaction or in
 * several: each page is done for good when its transaction commits. Later calls may find messages of earlier ones that
 * still wait, and leave them.
 *
 * One statement while no message waits. Relies on the three indexes of waiting_messages and on its key.
 * @param isFinal whether an event is final
 */
export async function release(tx: Tx, released: Released, isFinal: IsFinal): Promise<ReleasedPage> {
  const step = stepOf(released)
  if (step === null) return { deliveries: [], rest: null }
  const rows = await lockWaiting(tx, sql`${step.page} limit ${PAGE}`)
  const full = rows.length === PAGE
  const rest = full ? step.more(lastPlace(rows)) : step.done
  return { deliveries: await decide(tx, rows, isFinal), rest: stepOf(rest) && rest }
}

interface Step {
  page: Sql
  /** what is left after a full page */
  more: (last: WaitingPlace) => Released
  /** what is left after the last page */
  done: Released
}

/** The first kind of rows that may go. Each page takes one kind. */
function stepOf(released: Released): Step | null {
  const { finalizedSlot, finalEvents, knownPayments, knownPolicies, after } = released
  // What is final leaves the rows that wait for it, so the next page finds others.
  const waitingForFinality = (which: Sql, done: Partial<Released>): Step => ({
    page: sql`where a.waits_for = 'finality' and ${which}`,
    more: () => released,
    done: { ...released, ...done },
  })
  // A message can go on waiting for facts, so the next page begins behind this one.
  const behind = after
    ? sql`and (a.policy, a.webhook_id, a.message_id) > (${after.policy}, ${BigInt(after.webhookId)}, ${after.messageId})`
    : empty
  const waitingForFacts = (which: Sql, done: Partial<Released>): Step => ({
    page: sql`where a.waits_for = 'facts' and ${which} ${behind} order by a.policy, a.webhook_id, a.message_id`,
    more: last => ({ ...released, after: last }),
    done: { ...released, ...done, after: undefined },
  })
  if (finalizedSlot !== null)
    return waitingForFinality(sql`a.slot <= ${finalizedSlot} order by a.slot`, { finalizedSlot: null })
  if (finalEvents.length > 0)
    return waitingForFinality(sql`a.event_id = any(${[...finalEvents]}::uuid[])`, { finalEvents: [] })
  if (knownPayments.length > 0)
    return waitingForFacts(sql`a.event_id = any(${[...knownPayments]}::uuid[])`, { knownPayments: [] })
  if (knownPolicies.length > 0)
    return waitingForFacts(sql`a.policy = any(${[...knownPolicies]}::text[])`, { knownPolicies: [] })
  return null
}

/** The last row by the order of the pages: the join with webhooks may have changed the order. */
function lastPlace(rows: readonly WaitingRow[]): WaitingPlace {
  const last = rows.reduce((a, b) => (isBefore(a, b) ? b : a))
  return { policy: last.policy, webhookId: last.webhookId.toString(), messageId: last.messageId }
}

function isBefore(a: WaitingRow, b: WaitingRow): boolean {
  if (a.policy !== b.policy) return a.policy < b.policy
  return a.webhookId === b.webhookId ? a.messageId < b.messageId : a.webhookId < b.webhookId
}

const ROUTE_OF = { finality: 'await-finality', facts: 'await-facts' } as const

async function decide(tx: Tx, rows: readonly WaitingRow[], isFinal: IsFinal): Promise<DeliveryRef[]> {
  if (rows.length === 0) return []
  const facts = await readWaitingFacts(tx, rows, isFinal)
  const routed = new RoutedMessages()
  const decided: WaitingRow[] = []
  for (const { row, message, final } of rows.map(facts).sort(byEvent)) {
    if (route(row.webhook, message, message.known, final) === ROUTE_OF[row.waitsFor]) continue
    decided.push(row)
    routed.add(row.webhook, message, final)
  }
  // What waits for the other thing now is deleted too, and written again with what that wait needs.
  await deleteWaiting(tx, decided)
  return routed.write(tx)
}

/** Deliveries are written in the order of the events, as far as it is known. */
function byEvent(a: WaitingWithFacts, b: WaitingWithFacts): number {
  const bySlot = (a.row.slot ?? Number.MAX_SAFE_INTEGER) - (b.row.slot ?? Number.MAX_SAFE_INTEGER)
  return bySlot || a.position - b.position
}
