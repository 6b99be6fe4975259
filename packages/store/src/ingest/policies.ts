import { sql, type Tx } from '../database/sql.js'
import type { PolicyFamily, PolicyOutcome, PolicyState } from '@payment-tracking/domain'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import type { KnownPolicy } from './known.js'

interface PolicyRow {
  address: string
  user_payment: string | null
  policy_id: bigint | null
  life_start: string | null
  deleted_order: string | null
  gateway: string | null
  recipient: string | null
  tracking_id: string | null
  policy_type: string | null
  created_at: bigint | null
  payment_count: bigint
  total_paid: string
  last_payment_order: string | null
  last_paid_at: bigint | null
  status_order: string | null
  status_at: bigint | null
  changed_status: string | null
  family: PolicyFamily
  token_mint: string | null
  period_start: bigint | null
  period_total: string | null
  period_order: string | null
  status: string | null
}

/** The policies of `addresses` that appear in any event. */
export async function readPolicies(tx: Tx, addresses: readonly string[]): Promise<KnownPolicy[]> {
  if (addresses.length === 0) return []
  const rows = await tx.$queryRaw<PolicyRow[]>`
    select address, user_payment, policy_id, life_start, deleted_order, gateway, recipient, tracking_id,
           policy_type::text as policy_type, created_at, payment_count, total_paid::text as total_paid,
           last_payment_order, last_paid_at, status_order, status_at, changed_status, family, token_mint,
           period_start, period_total::text as period_total, period_order, status
      from policies where address = any(${addresses}::text[])`
  return rows.map(row => ({ state: toState(row), status: row.status }))
}

function toState(row: PolicyRow): PolicyState {
  return {
    address: row.address,
    userPayment: row.user_payment,
    policyId: row.policy_id === null ? null : Number(row.policy_id),
    incarnationStart: row.life_start,
    deletedOrder: row.deleted_order,
    gateway: row.gateway,
    recipient: row.recipient,
    trackingId: row.tracking_id,
    policyType: row.policy_type,
    createdAt: row.created_at,
    paymentCount: row.payment_count,
    totalPaid: BigInt(row.total_paid),
    lastPaymentOrder: row.last_payment_order,
    lastPaidAt: row.last_paid_at,
    statusOrder: row.status_order,
    statusAt: row.status_at,
    changedStatus: row.changed_status,
    family: row.family,
    tokenMint: row.token_mint,
    periodStart: row.period_start,
    periodTotal: row.period_total === null ? null : BigInt(row.period_total),
    periodOrder: row.period_order,
  }
}

export interface WrittenPolicy {
  state: PolicyState
  /** derived from the state, so that reads can filter and sort without the rules */
  outcome: PolicyOutcome
}

export function writePolicies(tx: PipelinedTx, policies: readonly WrittenPolicy[]): void {
  if (policies.length === 0) return
  const column = <T>(pick: (row: WrittenPolicy) => T): T[] => policies.map(pick)
  tx.send(sql`
    insert into policies (
      address, user_payment, policy_id, life_start, deleted_order, gateway, recipient, tracking_id, policy_type,
      created_at, payment_count, total_paid, last_payment_order, last_paid_at, status_order, status_at,
      changed_status, live, status, next_payment_due, updated_at, family, token_mint, period_start, period_total,
      period_order, due_at, ends_at)
    select * from unnest(
      ${column(({ state }) => state.address)}::text[],
      ${column(({ state }) => state.userPayment)}::text[],
      ${column(({ state }) => state.policyId)}::bigint[],
      ${column(({ state }) => state.incarnationStart)}::text[],
      ${column(({ state }) => state.deletedOrder)}::text[],
      ${column(({ state }) => state.gateway)}::text[],
      ${column(({ state }) => state.recipient)}::text[],
      ${column(({ state }) => state.trackingId)}::text[],
      ${column(({ state }) => state.policyType)}::json[],
      ${column(({ state }) => state.createdAt)}::bigint[],
      ${column(({ state }) => state.paymentCount)}::bigint[],
      ${column(({ state }) => state.totalPaid)}::numeric[],
      ${column(({ state }) => state.lastPaymentOrder)}::text[],
      ${column(({ state }) => state.lastPaidAt)}::bigint[],
      ${column(({ state }) => state.statusOrder)}::text[],
      ${column(({ state }) => state.statusAt)}::bigint[],
      ${column(({ state }) => state.changedStatus)}::text[],
      ${column(({ outcome }) => outcome.live)}::boolean[],
      ${column(({ outcome }) => outcome.status)}::text[],
      ${column(({ outcome }) => outcome.nextPaymentDue)}::bigint[],
      ${column(({ outcome }) => outcome.updatedAt)}::bigint[],
      ${column(({ state }) => state.family)}::text[],
      ${column(({ state }) => state.tokenMint)}::text[],
      ${column(({ state }) => state.periodStart)}::bigint[],
      ${column(({ state }) => state.periodTotal)}::numeric[],
      ${column(({ state }) => state.periodOrder)}::text[],
      ${column(({ outcome }) => outcome.dueAt)}::bigint[],
      ${column(({ outcome }) => outcome.endsAt)}::bigint[])
    on conflict (address) do update set
      user_payment = excluded.user_payment, policy_id = excluded.policy_id,
      life_start = excluded.life_start, deleted_order = excluded.deleted_order,
      gateway = excluded.gateway, recipient = excluded.recipient, tracking_id = excluded.tracking_id,
      policy_type = excluded.policy_type, created_at = excluded.created_at,
      payment_count = excluded.payment_count, total_paid = excluded.total_paid,
      last_payment_order = excluded.last_payment_order, last_paid_at = excluded.last_paid_at,
      status_order = excluded.status_order, status_at = excluded.status_at,
      changed_status = excluded.changed_status, live = excluded.live, status = excluded.status,
      next_payment_due = excluded.next_payment_due, updated_at = excluded.updated_at, family = excluded.family,
      token_mint = excluded.token_mint, period_start = excluded.period_start,
      period_total = excluded.period_total, period_order = excluded.period_order, due_at = excluded.due_at,
      ends_at = excluded.ends_at`)
}

/**
 * Writes only the columns that payments change, a third of all. Nine of ten events are payments.
 * @param policies stored policies to which only payments happened. The statement is an insert, because Postgres then
 *   looks each policy up by its key for any number of policies; for an update of a list, Postgres may join the whole
 *   table
 */
export function writePaidPolicies(tx: PipelinedTx, policies: readonly WrittenPolicy[]): void {
  if (policies.length === 0) return
  const column = <T>(pick: (row: WrittenPolicy) => T): T[] => policies.map(pick)
  tx.send(sql`
    insert into policies (
      address, payment_count, total_paid, last_payment_order, last_paid_at, status, next_payment_due, updated_at,
      period_start, period_total, period_order, due_at)
    select * from unnest(
      ${column(({ state }) => state.address)}::text[],
      ${column(({ state }) => state.paymentCount)}::bigint[],
      ${column(({ state }) => state.totalPaid)}::numeric[],
      ${column(({ state }) => state.lastPaymentOrder)}::text[],
      ${column(({ state }) => state.lastPaidAt)}::bigint[],
      ${column(({ outcome }) => outcome.status)}::text[],
      ${column(({ outcome }) => outcome.nextPaymentDue)}::bigint[],
      ${column(({ outcome }) => outcome.updatedAt)}::bigint[],
      ${column(({ state }) => state.periodStart)}::bigint[],
      ${column(({ state }) => state.periodTotal)}::numeric[],
      ${column(({ state }) => state.periodOrder)}::text[],
      ${column(({ outcome }) => outcome.dueAt)}::bigint[])
    on conflict (address) do update set
      payment_count = excluded.payment_count, total_paid = excluded.total_paid,
      last_payment_order = excluded.last_payment_order, last_paid_at = excluded.last_paid_at,
      status = excluded.status, next_payment_due = excluded.next_payment_due, updated_at = excluded.updated_at,
      period_start = excluded.period_start, period_total = excluded.period_total,
      period_order = excluded.period_order, due_at = excluded.due_at`)
}
