// Derives the details of stored payments again, and writes what differs.
import {
  paymentDetails,
  type ChainEvent,
  type PaymentEffect,
  type PaymentDetails,
  type PolicyState,
  type UserPaymentState,
} from '@payment-tracking/domain'
import { columnTable } from '../../core/database/columns.js'
import { bigints, sql, type PipelinedTx, type Sql, type Tx } from '../../core/database/sql.js'
import type { LockedHead } from '../../core/tables/head.js'
import { moveTokens } from '../figures/figures.js'
import { giveSeqs, writeTrackingHeads } from '../../core/tables/tracking-heads.js'
import { OF_POLICY } from '../../core/tables/payment-names.js'
import { readStored, STORED_COLUMNS, type StoredRow } from '../../core/tables/stored-events.js'

/** The details of a stored payment as they are written down, and its incarnation. */
interface PaymentRow extends StoredRow {
  recipient: string | null
  payer: string | null
  token_mint: string | null
  awaits_policy: boolean
  retracted: boolean
  /** null while no Created event at the payment's chain position or before it is valid */
  created_id: string | null
  created_recipient: string | null
  created_mint: string | null
  /** null where the payment's tracking ID is known, or its policy is not */
  tracked_id: string | null
  tracked_as: string | null
}

export interface StoredPayment {
  event: ChainEvent & { effect: PaymentEffect }
  row: PaymentRow
}

/** What a derivation changed. */
export interface Derived {
  /** payments whose tracking ID became known: they are sent now */
  completed: string[]
  /** payments with other details than before */
  changed: string[]
}

/** The address that an event beside payments changes: a comparison goes on after it. As in events_changes. */
export const changedBy = (event: Sql): Sql =>
  sql`${event}.amount is null and coalesce(${event}.payment_policy, ${event}.user_payment, ${event}.gateway)`

/** Of events `e`. */
export const CHANGED = changedBy(sql`e`)

/**
 * The latest Created event `c` of an event's policy, at the chain position of the event or before it. Relies on events_changes.
 * @param event a row with the chain position, the policy and the name
 */
export const latestCreated = (event: Sql, columns: Sql, condition = sql`true`): Sql => sql`
  lateral (
    select ${columns} from events c
     where ${changedBy(sql`c`)} = ${event}.payment_policy and ${condition}
       and c.name = case when ${event}.name like 'Composable%' then 'ComposablePolicyCreated' else 'PaymentPolicyCreated' end
       and (c.slot, c.transaction_index, c.event_index) <= (${event}.slot, ${event}.transaction_index, ${event}.event_index)
     order by c.slot desc, c.transaction_index desc, c.event_index desc, c.id desc limit 1)`

/**
 * Payments `e` with the incarnation of each: one probe of events_changes a payment. A tracking ID also follows from
 * a Created event that was retracted: the same transaction has the same memo when it is repeated.
 * @param payments selects the columns of events
 */
const withIncarnations = (payments: Sql): Sql => sql`
  select ${STORED_COLUMNS}, e.recipient, e.payer, e.token_mint, e.awaits_policy,
         e.retracted_at is not null as retracted, c.id as created_id, c.recipient as created_recipient,
         c.token_mint as created_mint, t.id as tracked_id, t.tracking_id as tracked_as
    from (${payments}) e
    left join ${latestCreated(sql`e`, sql`c.id, c.recipient, c.token_mint`, sql`c.retracted_at is null`)} c on true
    left join ${latestCreated(sql`e`, sql`c.id, c.tracking_id`, sql`e.awaits_policy`)} t on true
   order by e.slot, e.transaction_index, e.event_index, e.id`

const read = async (tx: Tx, payments: Sql, programId: string): Promise<StoredPayment[]> => {
  const rows = await tx.$queryRaw<PaymentRow[]>(withIncarnations(payments))
  return rows.map(row => ({ event: readStored(row, programId) as StoredPayment['event'], row }))
}

export const readPaymentsById = (
  tx: Tx,
  ids: readonly string[],
  programId: string,
): Promise<StoredPayment[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : read(tx, sql`select * from events e where e.id = any(${[...ids]}::uuid[]) and ${OF_POLICY}`, programId)

/** Where the next payments of a policy begin. */
export interface PaymentsFrom {
  policy: string
  /** an order; '' is before all payments, and an order without its id is a chain position */
  after: string
}

/** The chain position of an order. */
const digitsOf = ({ after }: PaymentsFrom, from: number, to: number): bigint =>
  BigInt(`0x${after.slice(from, to) || '0'}`)

const FROM = columnTable<PaymentsFrom>('a', {
  policy: ['text', ({ policy }) => policy],
  slot: ['bigint', from => digitsOf(from, 0, 16)],
  transaction_index: ['bigint', from => digitsOf(from, 16, 24)],
  event_index: ['bigint', from => digitsOf(from, 24, 32)],
  id: ['uuid', ({ after }) => after.slice(32).padEnd(32, '0')],
})

/**
 * The next payments of some policies in chain order, retracted ones too. Relies on events_policy_payments.
 * @param limit of all payments together: the policies are read one after the other
 * @returns by policy; the last policy with payments may have more when there are as many as the limit, and policies after
 *   it are not read then
 */
export async function readNextPayments(
  tx: Tx,
  from: readonly PaymentsFrom[],
  { limit, programId }: { limit: number; programId: string },
): Promise<Map<string, StoredPayment[]>> {
  const payments = new Map<string, StoredPayment[]>()
  if (from.length === 0) return payments
  // With the limit known, Postgres takes a policy with many payments for one with as few as others, reads all and sorts them.
  const next = sql`
    select e.* from ${FROM.listOf(from)}
     cross join lateral (
       select * from events e
        where e.payment_policy = a.policy and ${OF_POLICY}
          and (e.slot, e.transaction_index, e.event_index, e.id)
            > (a.slot, a.transaction_index, a.event_index, a.id)
        order by e.slot, e.transaction_index, e.event_index, e.id limit (select ${limit}::bigint)) e
     limit ${limit}`
  for (const payment of await read(tx, next, programId)) {
    const { policy } = payment.event.effect
    const known = payments.get(policy)
    if (known) known.push(payment)
    else payments.set(policy, [payment])
  }
  return payments
}

/** What a policy and its user payment say of the policy's payments. */
export interface PolicySources {
  policy: PolicyState | null
  account: UserPaymentState | null
}

/**
 * Derives some payments and writes the differences. A tracking ID that was given stays: payments are counted by it.
 * SQL: one text a column.
 * @param sourcesOf by the policy's address
 */
export async function derivePayments(
  tx: PipelinedTx,
  head: LockedHead,
  payments: readonly StoredPayment[],
  sourcesOf: (policy: string) => PolicySources,
): Promise<Derived> {
  const changes = payments.flatMap(payment => {
    const details = detailsOf(payment, sourcesOf)
    const { event, row } = payment
    const completes = row.tracked_id !== null
    const moves = details.tokenMint !== row.token_mint
    const differs = moves || details.recipient !== row.recipient || details.payer !== row.payer
    return differs || completes ? [{ event, row, details, completes, moves, differs }] : []
  })
  if (changes.length === 0) return { completed: [], changed: [] }
  const completing = changes.filter(({ completes }) => completes)
  const trackingIds = completing.map(({ row }) => row.tracked_as)
  const seqs = await giveSeqs(tx, trackingIds)
  const counted = trackingIds.map((trackingId, at) => ({ trackingId, seq: seqs[at]! }))
  writeTrackingHeads(tx, counted)
  tx.send(sql`
    update events e set recipient = f.recipient, payer = f.payer, token_mint = f.token_mint
      from unnest(${changes.map(({ row }) => row.id)}::uuid[],
                  ${changes.map(({ details }) => details.recipient)}::text[],
                  ${changes.map(({ details }) => details.payer)}::text[],
                  ${changes.map(({ details }) => details.tokenMint)}::text[]) as f (id, recipient, payer, token_mint)
     where e.id = f.id`)
  if (completing.length > 0)
    tx.send(sql`
      update events e set awaits_policy = false, tracking_id = f.tracking_id, seq = f.seq
        from unnest(${completing.map(({ row }) => row.id)}::uuid[], ${trackingIds}::text[],
                    ${bigints(seqs)}) as f (id, tracking_id, seq)
       where e.id = f.id`)
  const moved = changes.flatMap(({ event, row, details: { tokenMint }, moves }) => {
    const { name, gateway, occurredAt, effect } = event
    const { position, token_mint: before } = row
    return moves && !row.retracted
      ? [{ position, name, gateway, amount: effect.amount, occurredAt, before, tokenMint }]
      : []
  })
  await moveTokens(tx, head, moved)
  return {
    completed: completing.filter(({ row }) => !row.retracted).map(({ row }) => row.id),
    changed: changes.filter(({ differs }) => differs).map(({ row }) => row.id),
  }
}

function detailsOf(
  { event, row }: StoredPayment,
  sourcesOf: (policy: string) => PolicySources,
): PaymentDetails {
  const incarnation =
    row.created_id === null ? null : { recipient: row.created_recipient, tokenMint: row.created_mint }
  return paymentDetails(event.effect, { incarnation, ...sourcesOf(event.effect.policy) })
}
