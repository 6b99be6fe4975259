import { type Tx } from '../database/sql.js'
import {
  dependsOnPaymentOrder,
  periodAfter,
  periodAtCreation,
  placeOf,
  type PolicyState,
} from '@payment-tracking/domain'
import { IS_PAYMENT } from '../payment-names.js'

interface CountedRow {
  address: string
  count: bigint
  total: string
}

interface PaidRow {
  address: string
  amount: string
  paid_at: bigint
}

/** The incarnation of each policy as columns of a list: its address and the place where the incarnation began. */
function incarnationsOf(policies: readonly PolicyState[]) {
  const places = policies.map(({ incarnationStart }) => placeOf(incarnationStart!))
  return {
    addresses: policies.map(({ address }) => address),
    slots: places.map(({ slot }) => String(slot)),
    transactions: places.map(({ transactionIndex }) => String(transactionIndex)),
    indexes: places.map(({ index }) => String(index)),
  }
}

/**
 * Counts the payments of each policy's latest incarnation again, from the stored events. Needed when an incarnation
 * begins, and when a payment arrives out of order for a policy whose period depends on the order. Reads every stored
 * payment of these addresses through events_policy_newest.
 * @param policies each must have an incarnation
 * @param upTo the last position to count: a rebuild must not count events that it has not replayed yet
 * @returns the same policies with new sums
 */
export async function countIncarnationPayments(
  tx: Tx,
  policies: readonly PolicyState[],
  upTo: bigint,
): Promise<PolicyState[]> {
  if (policies.length === 0) return []
  const counted = await readSums(tx, policies, upTo)
  const periods = await readPeriods(tx, policies.filter(dependsOnPaymentOrder), upTo)
  return policies.map(policy => ({
    ...policy,
    ...(counted.get(policy.address) ?? { paymentCount: 0n, totalPaid: 0n }),
    ...periods.get(policy.address),
  }))
}

async function readSums(tx: Tx, policies: readonly PolicyState[], upTo: bigint) {
  const { addresses, slots, transactions, indexes } = incarnationsOf(policies)
  const rows = await tx.$queryRaw<CountedRow[]>`
    select l.address, count(*) as count, coalesce(sum(e.amount), 0)::text as total
      from unnest(${addresses}::text[], ${slots}::bigint[], ${transactions}::bigint[], ${indexes}::bigint[])
           as l (address, slot, transaction_index, event_index)
      join events e on e.payment_policy = l.address and ${IS_PAYMENT} and e.retracted_at is null
       and e.position <= ${upTo}
       and (e.slot, e.transaction_index, e.event_index) >= (l.slot, l.transaction_index, l.event_index)
     group by l.address`
  return new Map(rows.map(row => [row.address, { paymentCount: row.count, totalPaid: BigInt(row.total) }]))
}

async function readPeriods(tx: Tx, policies: readonly PolicyState[], upTo: bigint) {
  const periods = new Map(
    policies.map(({ address, policyType }) => [address, { policyType, ...periodAtCreation(policyType) }]),
  )
  if (policies.length === 0) return periods
  const { addresses, slots, transactions, indexes } = incarnationsOf(policies)
  const rows = await tx.$queryRaw<PaidRow[]>`
    select l.address, e.amount::text as amount, e.paid_at
      from unnest(${addresses}::text[], ${slots}::bigint[], ${transactions}::bigint[], ${indexes}::bigint[])
           as l (address, slot, transaction_index, event_index)
      join events e on e.payment_policy = l.address and ${IS_PAYMENT} and e.retracted_at is null
       and e.position <= ${upTo}
       and (e.slot, e.transaction_index, e.event_index) >= (l.slot, l.transaction_index, l.event_index)
     order by l.address, e.slot, e.transaction_index, e.event_index, e.id`
  for (const { address, amount, paid_at: paidAt } of rows) {
    const period = periods.get(address)!
    Object.assign(period, periodAfter(period, { amount: BigInt(amount), paidAt }))
  }
  return periods
}
