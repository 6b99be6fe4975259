import type { ChainEvent, PolicyOutcome, PolicyState } from '@payment-tracking/domain'
import { columnTable, type Columns } from '../database/columns.js'
import { join, raw, sql, type PipelinedTx, type Tx } from '../database/sql.js'

/** A policy as stored, with the status that is served. */
export interface StoredPolicy {
  state: PolicyState
  status: string | null
}

/** A policy whose row changes, before and after. */
export interface FoldedPolicy {
  before: StoredPolicy | undefined
  after: PolicyState
  outcome: PolicyOutcome
  /** the batch's valid events of the policy */
  events: ChainEvent[]
}

interface PolicyRow extends Omit<PolicyState, 'totalPaid' | 'periodTotal'> {
  totalPaid: string
  periodTotal: string | null
  status: string | null
}

/** The policies of `addresses` that appear in any event. */
export async function readPolicies(tx: Tx, addresses: readonly string[]): Promise<StoredPolicy[]> {
  if (addresses.length === 0) return []
  const rows = await tx.$queryRaw<PolicyRow[]>`
    select address, user_payment as "userPayment", policy_id::float8 as "policyId", incarnation_start as "incarnationStart",
           deleted_order as "deletedOrder", gateway, recipient, tracking_id as "trackingId", memo,
           policy_type::text as "policyType", created_at as "createdAt", payment_count as "paymentCount",
           total_paid::text as "totalPaid", last_payment_order as "lastPaymentOrder", last_paid_at as "lastPaidAt",
           status_order as "statusOrder", status_at as "statusAt", changed_status as "changedStatus", family,
           token_mint as "tokenMint", period_start as "periodStart", period_total::text as "periodTotal",
           period_order as "periodOrder", status
      from policies where address = any(${addresses}::text[])`
  return rows.map(row => ({ state: toState(row), status: row.status }))
}

/** The row itself: a copy without `status` costs more than the statement. */
function toState(row: PolicyRow): PolicyState {
  const periodTotal = row.periodTotal === null ? null : BigInt(row.periodTotal)
  return Object.assign(row as Omit<PolicyRow, 'totalPaid' | 'periodTotal'>, {
    totalPaid: BigInt(row.totalPaid),
    periodTotal,
  })
}

/** The outcome is derived from the state, so that reads can filter and sort without the rules. */
type WrittenPolicy = Pick<FoldedPolicy, 'after' | 'outcome'>

const PAID_COLUMNS: Columns<WrittenPolicy> = {
  address: ['text', ({ after }) => after.address],
  payment_count: ['bigint', ({ after }) => after.paymentCount],
  total_paid: ['numeric', ({ after }) => after.totalPaid],
  last_payment_order: ['text', ({ after }) => after.lastPaymentOrder],
  last_paid_at: ['bigint', ({ after }) => after.lastPaidAt],
  status: ['text', ({ outcome }) => outcome.status],
  next_payment_due: ['bigint', ({ outcome }) => outcome.nextPaymentDue],
  updated_at: ['bigint', ({ outcome }) => outcome.updatedAt],
  period_start: ['bigint', ({ after }) => after.periodStart],
  period_total: ['numeric', ({ after }) => after.periodTotal],
  period_order: ['text', ({ after }) => after.periodOrder],
  due_at: ['bigint', ({ outcome }) => outcome.dueAt],
}
const PAID = columnTable('p', PAID_COLUMNS)
const WHOLE = columnTable<WrittenPolicy>('p', {
  ...PAID_COLUMNS,
  user_payment: ['text', ({ after }) => after.userPayment],
  policy_id: ['bigint', ({ after }) => after.policyId],
  incarnation_start: ['text', ({ after }) => after.incarnationStart],
  deleted_order: ['text', ({ after }) => after.deletedOrder],
  gateway: ['text', ({ after }) => after.gateway],
  recipient: ['text', ({ after }) => after.recipient],
  tracking_id: ['text', ({ after }) => after.trackingId],
  memo: ['text', ({ after }) => after.memo],
  policy_type: ['json', ({ after }) => after.policyType],
  created_at: ['bigint', ({ after }) => after.createdAt],
  status_order: ['text', ({ after }) => after.statusOrder],
  status_at: ['bigint', ({ after }) => after.statusAt],
  changed_status: ['text', ({ after }) => after.changedStatus],
  live: ['boolean', ({ outcome }) => outcome.live],
  family: ['text', ({ after }) => after.family],
  token_mint: ['text', ({ after }) => after.tokenMint],
  ends_at: ['bigint', ({ outcome }) => outcome.endsAt],
})

/**
 * When the dates of a policy are to be checked: `next_check_at` of its row. The index is on this time and not on the due date. Each payment
 * moves the due date, and then every payment would write all indexes of `policies` (500 payments: 84 ms instead of 11).
 */
const NEXT_CHECK = sql`
  case when p.live and p.status = 'active' and coalesce(p.due_at, p.ends_at) is not null then 0 end`

/** What decides about the dates of a policy. Where nothing of it changed, the row keeps when it is checked next. */
const DATES = ['live', 'status', 'gateway', 'incarnation_start', 'due_at', 'ends_at']
const [DATED, WAS_DATED] = ['excluded', 'policies'].map(table =>
  raw(DATES.map(name => `${table}.${name}`).join(', ')),
)
const CHECKS = join(
  [raw('next_check_at'), raw('next_funds_check_at')].map(
    check => sql`
  ${check} = case when (${DATED}) is not distinct from (${WAS_DATED}) then policies.${check} else excluded.${check} end`,
  ),
)

/** SQL: compares with what is stored, and upserts many rows. */
export function writePolicies(tx: PipelinedTx, policies: readonly WrittenPolicy[]): void {
  if (policies.length === 0) return
  tx.send(sql`
    insert into policies (${WHOLE.names}, next_check_at) select p.*, ${NEXT_CHECK} from ${WHOLE.listOf(policies)}
    on conflict (address) do update set ${WHOLE.excluded},
      ${CHECKS}`)
}

/**
 * Writes only the columns that payments change, a third of all. Nine of ten events are payments. A payment moves dates to
 * later times, so `next_check_at` can stay: an index has it, and most payments then write no index (a HOT update). SQL: compares with
 * what is stored.
 * @param policies stored policies to which only payments happened. They are found by a range of one address: for an equal
 *   address, Postgres may join the whole table
 */
export function writePaidPolicies(tx: PipelinedTx, policies: readonly WrittenPolicy[]): void {
  if (policies.length === 0) return
  tx.send(sql`
    update policies set ${PAID.listed},
           next_check_at = case when policies.next_check_at is null and p.status = 'active'
                                 and coalesce(p.due_at, policies.ends_at) is not null
                            then 0 else policies.next_check_at end,
           next_funds_check_at = case when policies.next_funds_check_at is null and p.status = 'active' and p.due_at is not null
                                  then 0 else policies.next_funds_check_at end
      from ${PAID.listOf(policies)}
     where policies.address between p.address and p.address`)
}
