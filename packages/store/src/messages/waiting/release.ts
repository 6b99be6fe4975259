// What waited, and may go now.
import type { DeliveryRef } from '@payment-tracking/contracts'
import { route } from '@payment-tracking/domain'
import { bigints, empty, inline, raw, sql, type Sql, type Tx } from '../../core/database/sql.js'
import { mapStoreErrors, StoreTimeoutError } from '../../core/errors.js'
import { bisect, isTransient } from '../../core/quarantine/bisect.js'
import { isNotQuarantined, quarantineRow } from '../../core/quarantine/isolate.js'
import { readWaitingDetails, type WaitingWithDetails } from './waiting-details.js'
import { RoutedMessages } from '../routing/routed-messages.js'
import type { IsFinal } from '../../core/tables/finality.js'
import { writeCancelled } from '../../core/tables/delivery-rows.js'
import { deleteWaiting, lockWaiting, type WaitingRow } from './waiting-messages.js'

/** What some messages waited for. */
export type WaitedFor =
  /** the highest final slot */
  | { finalizedSlot: bigint }
  /** events that are final themselves */
  | { finalEvents: readonly string[] }
  /** events of payments whose details changed */
  | { payments: readonly string[] }
  /** policies whose details changed */
  | { policies: readonly string[] }

/** A key among messages that wait for details: they are released in the order of the chain. */
export interface WaitingKey {
  policy: string
  /** `NO_SLOT` for what time causes */
  slot: number
  webhookId: string
  messageId: string
}

export interface ReleasedPage {
  deliveries: DeliveryRef[]
  /** the last row, where the page may have left some; null when it took all */
  last: WaitingKey | null
}

/** A message that made a page fail waits until an operator gives it back. */
const IS_KEPT = isNotQuarantined('release-messages', sql`a.webhook_id || ' ' || a.message_id`)

/**
 * Decides again about one page of the messages that waited for what is known now: writes deliveries, deletes what is
 * dropped, and keeps what waits for the other thing. Of a webhook that is off, the deliveries are cancelled: `replay-missing`
 * finds what became known meanwhile among them. Each page is done for good when its transaction commits. Later pages may
 * find messages of earlier ones that still wait, and leave them.
 *
 * One statement while no message waits. Relies on the three indexes of waiting_messages and on its key. A message that makes
 * its page fail is quarantined. The caller has no other statement under way: a part of a page may be undone.
 * @param isFinal whether an event is final
 * @param most the most rows of the page: they bound the time for which it holds locks
 * @param after `last` of the page before, of messages that wait for details. What is final leaves the rows that wait for it
 */
export async function release(
  tx: Tx,
  waitedFor: WaitedFor,
  isFinal: IsFinal,
  most: number,
  after?: WaitingKey,
): Promise<ReleasedPage> {
  const rows = await lockWaiting(tx, sql`${pageOf(waitedFor, after)} limit ${most}`)
  const deliveries = await bisect(rows, some => undoing(tx, () => decide(tx, some, isFinal)), {
    isTransient: error => isTransient(error) || error instanceof StoreTimeoutError,
    alone: async ({ webhookId, messageId }, error) => {
      await tx.$executeRaw(quarantineRow('release-messages', `${webhookId} ${messageId}`, error))
      return []
    },
  })
  return { deliveries: deliveries.flat(), last: rows.length === most ? lastKey(rows) : null }
}

/** Undoes what fails, and nothing else of the transaction. */
async function undoing<Result>(tx: Tx, work: () => Promise<Result>): Promise<Result> {
  await tx.$executeRaw`savepoint released`
  try {
    return await mapStoreErrors(work)
  } catch (error) {
    await tx.$executeRaw`rollback to savepoint released`
    throw error
  }
}

/** After every slot. */
const NO_SLOT = Number.MAX_SAFE_INTEGER
/** As in the index waiting_messages_policy. */
const SLOT = sql`coalesce(a.slot, ${inline(NO_SLOT)})`

/** The rows `a` of a page, in their order. */
function pageOf(waitedFor: WaitedFor, after: WaitingKey | undefined): Sql {
  const waiting = (what: 'finality' | 'details', which: Sql) =>
    sql`where a.waits_for = ${raw(`'${what}'`)} and ${IS_KEPT} and ${which}`
  if ('finalizedSlot' in waitedFor)
    return waiting('finality', sql`a.slot <= ${waitedFor.finalizedSlot} order by a.slot`)
  if ('finalEvents' in waitedFor)
    return waiting('finality', sql`a.event_id = any(${[...waitedFor.finalEvents]}::uuid[])`)
  // A message can go on waiting for details, so the next page begins after this one.
  const afterKey = after
    ? sql`and (a.policy, ${SLOT}, a.webhook_id, a.message_id) >
        (${after.policy}, ${BigInt(after.slot)}, ${BigInt(after.webhookId)}, ${after.messageId})`
    : empty
  const which =
    'payments' in waitedFor
      ? sql`a.event_id = any(${[...waitedFor.payments]}::uuid[])`
      : sql`a.policy = any(${[...waitedFor.policies]}::text[])`
  return waiting('details', sql`${which} ${afterKey} order by a.policy, ${SLOT}, a.webhook_id, a.message_id`)
}

/** The last row by the order of the pages: the join with webhooks may have changed the order. */
function lastKey(rows: readonly WaitingRow[]): WaitingKey {
  const { policy, slot, webhookId, messageId } = rows.reduce((a, b) => (isBefore(a, b) ? b : a))
  return { policy, slot: slot ?? NO_SLOT, webhookId: webhookId.toString(), messageId }
}

function isBefore(a: WaitingRow, b: WaitingRow): boolean {
  if (a.policy !== b.policy) return a.policy < b.policy
  if (a.slot !== b.slot) return (a.slot ?? NO_SLOT) < (b.slot ?? NO_SLOT)
  return a.webhookId === b.webhookId ? a.messageId < b.messageId : a.webhookId < b.webhookId
}

const ROUTE_OF = { finality: 'await-finality', details: 'await-details' } as const

async function decide(tx: Tx, rows: readonly WaitingRow[], isFinal: IsFinal): Promise<DeliveryRef[]> {
  if (rows.length === 0) return []
  const details = await readWaitingDetails(tx, rows, isFinal)
  const routed = new RoutedMessages()
  const decided: WaitingRow[] = []
  const off = new Set<bigint>()
  for (const { row, message, final } of rows.map(details).sort(byEvent)) {
    const webhook = { ...row.webhook, active: !row.isDeleted }
    if (route(webhook, message, message.known, final) === ROUTE_OF[row.waitsFor]) continue
    decided.push(row)
    routed.add(webhook, message, final)
    if (!row.webhook.active) off.add(webhook.id)
  }
  // What waits for the other thing now is deleted too, and written again with what that wait needs.
  await deleteWaiting(tx, decided)
  const deliveries = await routed.write(tx)
  const cancelled = deliveries.filter(({ webhookId }) => off.has(BigInt(webhookId)))
  if (cancelled.length > 0)
    await tx.$executeRaw(writeCancelled(sql`${bigints(cancelled.map(({ id }) => BigInt(id)))}`))
  return deliveries.filter(delivery => !cancelled.includes(delivery))
}

/** Deliveries are written in the order of the events, as far as it is known. */
function byEvent(a: WaitingWithDetails, b: WaitingWithDetails): number {
  const bySlot = (a.row.slot ?? NO_SLOT) - (b.row.slot ?? NO_SLOT)
  return bySlot || a.position - b.position
}
