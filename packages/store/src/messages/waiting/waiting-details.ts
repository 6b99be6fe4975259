// The present details of messages that wait.
import type { CommittedPayment } from '@payment-tracking/contracts'
import { holdsStill, type FilteredDetails, type Lifecycle } from '@payment-tracking/domain'
import { readCommittedById } from '../../core/tables/committed-payments.js'
import { sql, type Tx } from '../../core/database/sql.js'
import { readLifecyclePolicies } from '../../core/tables/policy-rows.js'
import { readSaidFinal, type IsFinal } from '../../core/tables/finality.js'
import { messageOfLifecycle, messageOfPayment, type Message } from '../routing/routed-messages.js'
import type { WaitingRow } from './waiting-messages.js'

export interface WaitingWithDetails {
  row: WaitingRow
  message: Message
  /** whether the cause is final */
  final: boolean
  /** of a payment, its position in the stream of events; what happens to policies comes after payments of its slot */
  position: number
}

/** What a policy is now, to judge what was said of it. */
interface PolicyNow {
  live: boolean
  dueAt: bigint | null
  endsAt: bigint | null
  now: number
}

/** Reads the details of a page of rows in at most three statements. @returns what a row says now */
export async function readWaitingDetails(
  tx: Tx,
  rows: readonly WaitingRow[],
  isFinal: IsFinal,
): Promise<(row: WaitingRow) => WaitingWithDetails> {
  const payments = await readPayments(tx, rows)
  const policies = await readPolicies(tx, rows)
  const isRowFinal = await readRowFinality(tx, rows, isFinal)
  const toMessage = (row: WaitingRow): Message => {
    if (row.body !== null) return messageOfBody(row, row.body)
    if (row.lifecycle === null) {
      const payment = payments.get(row.eventId!)
      return payment ? messageOfPayment(payment) : gone(row)
    }
    const policy = policies.get(row.policy)
    return policy && isValid(row.lifecycle, policy) ? messageOfLifecycle(policy, row.lifecycle) : gone(row)
  }
  return row => ({
    row,
    message: toMessage(row),
    final: isRowFinal(row),
    position: Number(payments.get(row.eventId ?? '')?.position ?? Number.MAX_SAFE_INTEGER),
  })
}

async function readPayments(tx: Tx, rows: readonly WaitingRow[]): Promise<Map<string, CommittedPayment>> {
  const ids = rows.filter(({ lifecycle }) => lifecycle === null).map(({ eventId }) => eventId!)
  const payments = await readCommittedById(tx, ids)
  return new Map(payments.filter(({ retracted }) => !retracted).map(payment => [payment.eventId, payment]))
}

async function readPolicies(tx: Tx, rows: readonly WaitingRow[]) {
  const unrendered = rows.filter(({ lifecycle, body }) => lifecycle !== null && body === null)
  const addresses = unrendered.map(({ policy }) => policy)
  const now = sql`
    p.live, p.due_at as "dueAt", p.ends_at as "endsAt", floor(extract(epoch from clock_timestamp()))::float8 as now`
  const policies = await readLifecyclePolicies<PolicyNow>(tx, addresses, now)
  return new Map(policies.map(policy => [policy.address, policy]))
}

/** What an event says of a policy is valid until the event is retracted; what time says, until something happens. */
const isValid = ({ type, dueAt, cause }: Lifecycle, policy: PolicyNow & { status: string | null }): boolean =>
  cause !== null || dueAt === null || holdsStill({ type, at: dueAt }, policy, policy.now)

/** What waits for finality is decided by its slot or its event. What waits for details has no cause, or asks here. */
async function readRowFinality(
  tx: Tx,
  rows: readonly WaitingRow[],
  isFinal: IsFinal,
): Promise<(row: WaitingRow) => boolean> {
  const isKnown = ({ waitsFor, eventId, slot }: WaitingRow) =>
    waitsFor === 'finality' || eventId === null || slot === null || isFinal({ eventId, slot })
  const unknown = rows.filter(row => !isKnown(row)).map(({ eventId }) => eventId!)
  const saidFinal = await readSaidFinal(tx, [...new Set(unknown)])
  return row => isKnown(row) || saidFinal.has(row.eventId!)
}

/** The message as it was rendered when its event came. Its filters are those of today, over the details that it has. */
function messageOfBody(row: WaitingRow, body: string): Message {
  const { id, data } = JSON.parse(body) as { id: string; data: FilteredDetails }
  const { type, policy, eventId, slot, lifecycle } = row
  const rendered = { id, type, body }
  const details = { position: null, trackingId: data.trackingId, known: data }
  return { type, policy, waitingId: id, eventId, slot, lifecycle, ...details, render: () => rendered }
}

/** A retracted payment, or a policy that is not known any more: `route` drops it. */
function gone({ type, policy, messageId, eventId, slot, lifecycle }: WaitingRow): Message {
  const render = () => {
    throw new Error(`${messageId} is not valid any more`)
  }
  const unknown = { position: null, trackingId: null, known: null }
  return { type, policy, waitingId: messageId, eventId, slot, lifecycle, ...unknown, render }
}
