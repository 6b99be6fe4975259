// What follows for expectations whose sums changed, or whose time passed: the new states, and their notices.
import type { CommittedExpectation, DeliveryRef } from '@payment-tracking/contracts'
import {
  changesOf,
  DIRECT_TRANSFER_POLICY,
  renderExpectationMessage,
  renderPublicExpectation,
  toExpectationRecord,
  type DeliveryMessage,
  type ExpectationChange,
  type ExpectationRecord,
  type ExpectationType,
} from '@payment-tracking/domain'
import { sql, type Tx } from '../database/sql.js'
import { noteForFeed } from '../database/feed-notes.js'
import { feedNoteOf, RoutedMessages, type Message } from '../webhooks/routed-messages.js'
import { readWebhooksOf } from '../webhooks/notified-webhooks.js'
import { newestPayments, type Expectation, type Over } from './expectation-rows.js'
import { writeExpectations } from './write-expectations.js'

/** An expectation that the transaction has locked, before and after. */
export interface Moved {
  before: Expectation
  /** with the new sums, and the states of the last notices */
  after: Expectation
}

/** What became of expectations in a transaction. */
export interface ExpectedNews {
  deliveries: DeliveryRef[]
  /** for sockets */
  expectations: CommittedExpectation[]
}

export const NO_NEWS: ExpectedNews = { deliveries: [], expectations: [] }

interface Notice {
  expectation: Expectation
  over: Over
  change: ExpectationChange
  /** the payments of the sums before are listed, not those after */
  isPassed: boolean
}

const OVERS = ['all', 'final'] as const

/**
 * Writes new sums and states, and notifies of the changes.
 * @param write writes which payments count, between the reading of what counted before and after
 */
export async function settle(
  tx: Tx,
  moved: readonly Moved[],
  { now, write = () => Promise.resolve() }: { now: Date; write?: () => Promise<void> },
): Promise<ExpectedNews> {
  const notices = moved.flatMap(({ before, after }) =>
    OVERS.flatMap(over => changesOver(over, before, after, now)),
  )
  const passed = notices.filter(({ isPassed }) => isPassed)
  const listedBefore = await readListed(tx, passed)
  await write()
  await writeExpectations(
    tx,
    moved.map(({ after }) => after),
  )
  const listedAfter = await readListed(
    tx,
    notices.filter(({ isPassed }) => !isPassed),
  )
  return notify(
    tx,
    notices,
    ({ isPassed, expectation, over }) =>
      (isPassed ? listedBefore : listedAfter)[over].get(expectation.terms.id) ?? [],
  )
}

/** Takes the new state over into `after`. */
function changesOver(over: Over, before: Expectation, after: Expectation, now: Date): Notice[] {
  const { terms, counting } = after
  if (counting || terms.cancelledAt !== null) return []
  const sums = { before: before.sums[over], after: after.sums[over], now }
  const changes = changesOf(after.notified[over], terms, sums)
  const last = changes.at(-1)
  if (last) after.notified[over] = { state: last.state, changedAt: last.changedAt, changes: last.changes }
  return changes.map(change => ({
    expectation: after,
    over,
    change,
    isPassed: change.sums === before.sums[over],
  }))
}

type Listed = Record<Over, Map<string, string[]>>

/** The newest event ids that count for some expectations: one probe of expected_payments each. */
async function readListed(tx: Tx, notices: readonly Notice[]): Promise<Listed> {
  const listed: Listed = { all: new Map(), final: new Map() }
  for (const over of OVERS) {
    const ids = [
      ...new Set(notices.filter(each => each.over === over).map(each => each.expectation.terms.id)),
    ]
    if (ids.length === 0) continue
    const rows = await tx.$queryRaw<{ id: string; payments: string[] }[]>(sql`
      select x.id::text as id, ${newestPayments(over === 'final' ? sql`p.final` : sql`true`)}
        from unnest(${ids}::uuid[]) x (id)`)
    for (const { id, payments } of rows) listed[over].set(id, payments)
  }
  return listed
}

async function notify(
  tx: Tx,
  notices: readonly Notice[],
  listedOf: (notice: Notice) => readonly string[],
): Promise<ExpectedNews> {
  if (notices.length === 0) return NO_NEWS
  const gateways = [...new Set(notices.map(({ expectation }) => expectation.terms.gateway))]
  const webhooksOf = await readWebhooksOf(tx, gateways)
  const routed = new RoutedMessages()
  const expectations: CommittedExpectation[] = []
  for (const each of notices) {
    const { expectation, over, change } = each
    const { terms, sums } = expectation
    const finalCount = over === 'final' ? change.sums.paymentCount : sums.final.paymentCount
    const payments = listedOf(each)
    const record = toExpectationRecord(terms, change, { sums: change.sums, finalCount, payments })
    for (const type of change.types) {
      const message = messageOfExpectation(type, record, { over, changes: change.changes })
      if (over === 'all') noteForFeed(tx, feedNoteOf(terms.gateway, message))
      for (const webhook of webhooksOf.get(terms.gateway) ?? [])
        if ((webhook.finality === 'finalized') === (over === 'final')) routed.add(webhook, message, true)
    }
    if (over === 'all') expectations.push(toCommittedExpectation(record, change.changes))
  }
  return { deliveries: await routed.write(tx), expectations }
}

/** For sockets. */
export const toCommittedExpectation = (record: ExpectationRecord, changes: bigint): CommittedExpectation => ({
  id: record.id,
  trackingId: record.trackingId,
  changes: Number(changes),
  data: renderPublicExpectation(record),
})

function messageOfExpectation(
  type: ExpectationType,
  record: ExpectationRecord,
  of: { over: Over; changes: bigint },
): Message {
  let rendered: DeliveryMessage | undefined
  const render = () => (rendered ??= renderExpectationMessage(type, record, of))
  const { id, trackingId, recipient, tokenMint } = record
  return {
    type,
    // Its facts are all known, as those of a direct transfer: nothing is waited for.
    policy: DIRECT_TRANSFER_POLICY,
    waitingId: id,
    eventId: null,
    slot: null,
    lifecycle: null,
    trackingId,
    orderKey: `expectation ${id}`,
    known: { trackingId, recipient, tokenMint },
    render,
  }
}
