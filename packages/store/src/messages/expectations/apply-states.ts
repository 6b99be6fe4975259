// What follows for expectations whose sums changed, whose time passed, or which were cancelled: the new states, and their notices.
import type { CommittedExpectation, DeliveryRef } from '@payment-tracking/contracts'
import {
  changesOf,
  DIRECT_TRANSFER_POLICY,
  NOTHING_PAID,
  renderExpectationMessage,
  toExpectationRecord,
  type DeliveryMessage,
  type ExpectationChange,
  type ExpectationRecord,
  type ExpectationType,
} from '@payment-tracking/domain'
import { sql, type Tx } from '../../core/database/sql.js'
import { ToldMessages, type Message } from '../routing/routed-messages.js'
import { readWebhooksOf } from '../routing/notified-webhooks.js'
import {
  newestPayments,
  toCommittedExpectation,
  toExpectation,
  type Expectation,
  type ExpectationRow,
  type Over,
} from '../../core/tables/expectations.js'
import { countOpen, type CountWriter } from '../../core/tables/expectation-counts.js'
import { writeExpectations } from '../../core/tables/write-expectations.js'

/** A payment that began to count, or counts no more. */
interface MovedPayment {
  over: Over
  isRise: boolean
  eventId: string
  /** of the event */
  at: bigint
}

/** An expectation that the transaction has locked, before and after. */
export interface Moved {
  before: Expectation
  /** with the new sums, and the states of the last notices */
  after: Expectation
  /** the payments that made the difference */
  causes: MovedPayment[]
}

export const unmoved = (row: ExpectationRow): Moved => ({
  before: toExpectation(row),
  after: toExpectation(row),
  causes: [],
})

/** What became of expectations in a transaction. */
export interface ExpectationChanges {
  deliveries: DeliveryRef[]
  /** for sockets */
  expectations: CommittedExpectation[]
}

export const NO_CHANGES: ExpectationChanges = { deliveries: [], expectations: [] }

interface Notice {
  moved: Moved
  over: Over
  change: ExpectationChange
  /** which payments its record lists: those that counted before, or that count after the transaction */
  lists: 'before' | 'after' | 'none'
}

interface ApplyScope {
  writer: CountWriter
  now: Date
  /** the last position of an event when the transaction commits; null where no payment is the cause */
  position: bigint | null
  /** writes which payments count, between the reading of what counted before and after */
  write?: () => Promise<void>
}

const OVERS = ['all', 'final'] as const

/** Writes new sums and states, and notifies of the changes. */
export async function applyStates(
  tx: Tx,
  moved: readonly Moved[],
  { writer, now, position, write = () => Promise.resolve() }: ApplyScope,
): Promise<ExpectationChanges> {
  const notices = moved.flatMap(each => OVERS.flatMap(over => changesOver(over, each, now)))
  const before = await readListed(tx, notices, 'before')
  await write()
  const after = await readListed(tx, notices, 'after')
  const listed = { before, after, none: NOTHING_LISTED }
  const told = notices.map(notice => tell(notice, listed[notice.lists], position))
  await writeExpectations(tx, moved)
  await countOpen(tx, writer, moved)
  return notify(tx, told)
}

/** Takes the new state over into `after`. */
function changesOver(over: Over, moved: Moved, now: Date): Notice[] {
  const { before, after } = moved
  const { terms, counting } = after
  if (counting) return []
  // What was paid before the expectation is known at once, when all of it is counted.
  const isFirst = before.counting
  const sums = { before: (isFirst ? after : before).sums[over], after: after.sums[over], now }
  const changes = changesOf(after.notified[over], terms, sums)
  const last = changes.at(-1)
  if (last) after.notified[over] = { state: last.state, changedAt: last.changedAt, changes: last.changes }
  if (terms.cancelledAt !== null) after.sums[over] = { ...NOTHING_PAID }
  return changes.map(change => ({
    moved,
    over,
    change,
    lists: change.state === 'cancelled' ? 'none' : change.isByPayments || isFirst ? 'after' : 'before',
  }))
}

type Listed = Record<Over, ReadonlyMap<string, readonly string[]>>
const NOTHING_LISTED: Listed = { all: new Map(), final: new Map() }

/** The newest event ids that count for some expectations: one probe of expected_payments each. */
async function readListed(tx: Tx, notices: readonly Notice[], lists: Notice['lists']): Promise<Listed> {
  const listed = { all: new Map<string, string[]>(), final: new Map<string, string[]>() }
  for (const over of OVERS) {
    const asked = notices.filter(each => each.over === over && each.lists === lists)
    const ids = [...new Set(asked.map(({ moved }) => moved.after.terms.id))]
    if (ids.length === 0) continue
    const rows = await tx.$queryRaw<{ id: string; payments: string[] }[]>(sql`
      select x.id::text as id, ${newestPayments(over === 'final' ? sql`p.final` : sql`true`)}
        from unnest(${ids}::uuid[]) x (id)`)
    for (const { id, payments } of rows) listed[over].set(id, payments)
  }
  return listed
}

/** A change as gateways and sockets are told of it. */
interface Told {
  over: Over
  change: ExpectationChange
  record: ExpectationRecord
  position: bigint | null
}

/** Takes the cause over into `after`. */
function tell({ moved, over, change, lists }: Notice, listed: Listed, position: bigint | null): Told {
  const { before, after } = moved
  const payments = listed[over].get(after.terms.id) ?? []
  const isCaused = change.isByPayments && position !== null
  const cause = isCaused ? { eventId: causeOf(moved, over, payments), position } : null
  if (over === 'all') after.cause = cause
  const { paymentCount } = change.sums
  const ofFinal = (lists === 'before' ? before : after).sums.final.paymentCount
  const finalCount = over === 'final' ? paymentCount : ofFinal
  const eventId = cause?.eventId ?? null
  const of = { sums: change.sums, finalCount, payments, eventId }
  const record = toExpectationRecord(after.terms, change, of)
  return { over, change, record, position: cause?.position ?? null }
}

/** The newest payment by which the sum rose or fell. What was stored before the expectation counts at once: the newest that counts. */
function causeOf({ before, after, causes }: Moved, over: Over, payments: readonly string[]): string {
  if (before.counting) return payments[0]!
  const isRise = after.sums[over].paidAmount > before.sums[over].paidAmount
  return causes
    .filter(cause => cause.over === over && cause.isRise === isRise)
    .reduce((a, b) => (a.at > b.at ? a : b)).eventId
}

async function notify(tx: Tx, told: readonly Told[]): Promise<ExpectationChanges> {
  if (told.length === 0) return NO_CHANGES
  const gateways = [...new Set(told.map(({ record }) => record.gateway))]
  const webhooksOf = await readWebhooksOf(tx, gateways)
  const routed = new ToldMessages()
  const expectations: CommittedExpectation[] = []
  for (const { over, change, record, position } of told) {
    const { changes } = change
    for (const type of change.types) {
      const message = messageOfExpectation(type, record, { over, changes, position })
      if (over === 'all') routed.log(record.gateway, message)
      for (const webhook of webhooksOf.get(record.gateway) ?? [])
        if ((webhook.finality === 'finalized') === (over === 'final')) routed.add(webhook, message, true)
    }
    if (over === 'all') expectations.push(toCommittedExpectation({ record, changes, position }))
  }
  return { deliveries: await routed.write(tx), expectations }
}

function messageOfExpectation(
  type: ExpectationType,
  record: ExpectationRecord,
  of: Parameters<typeof renderExpectationMessage>[2],
): Message {
  let rendered: DeliveryMessage | undefined
  const render = () => (rendered ??= renderExpectationMessage(type, record, of))
  const { id, trackingId, recipient, tokenMint } = record
  const known = { trackingId, recipient, tokenMint }
  const uncaused = { eventId: null, slot: null, lifecycle: null, position: null }
  // Its details are all known, as those of a direct transfer: nothing is waited for.
  const policy = DIRECT_TRANSFER_POLICY
  return {
    type,
    policy,
    waitingId: id,
    ...uncaused,
    trackingId,
    orderKey: `expectation ${id}`,
    known,
    render,
  }
}
