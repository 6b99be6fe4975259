// One page of recomputing policies, for a batch and for work alike. A policy is folded from its latest events. Its sums move
// by their difference, or are counted from the beginning of the incarnation. The details of its payments are derived again from
// the chain position from which they can differ.
import {
  applyPayment,
  emptyPolicy,
  isOfIncarnation,
  withDifference,
  type PolicyState,
  type SummedPayment,
} from '@payment-tracking/domain'
import type { PipelinedTx } from '../../core/database/sql.js'
import { derivePayments, readNextPayments, type Derived, type StoredPayment } from './derive-payments.js'
import { FROM_START, earlier, FROM_NONE, chainPositionOf, type From } from './chain-positions.js'
import type { LockedHead } from '../../core/tables/head.js'
import type { StoredPolicy } from '../../core/tables/policies.js'
import { isLinked, type RecomputeRows, type WholePolicy } from './recompute-rows.js'
import { toSources, toSums, withSums, type SoFar } from './so-far.js'

/** A policy, or what remains of it. */
export interface RemainingPolicy {
  address: string
  /** from where details of its payments can differ, or where the pages before ended */
  cursor: From
  /** what the pages before found */
  soFar?: SoFar
}

/** A policy that is recomputed. */
interface PolicyRecompute extends RemainingPolicy {
  /** payments that came, or were taken back: the sums move by them where they can. Without it they are counted */
  payments?: readonly (SummedPayment & { sign: 1n | -1n })[]
}

interface RecomputeLimits {
  programId: string
  head: LockedHead
  /** the most payments of the page, beside `single` */
  limit: number
  /** other payments that are derived */
  single?: readonly StoredPayment[]
}

interface PolicyPage extends Derived {
  whole: WholePolicy[]
  /** the policy that has more payments than the page; null where all payments of the page are of whole policies */
  continued: RemainingPolicy | null
  /** policies of which nothing is done */
  remaining: RemainingPolicy[]
}

/**
 * Derives the next payments of some policies, one policy after the other, and sums them up. The caller writes the policies that
 * are whole: until then readers find a policy as it was.
 * @param rows what `readForRecompute` found of the policies
 */
export async function recomputePolicies(
  tx: PipelinedTx,
  asked: readonly PolicyRecompute[],
  rows: RecomputeRows,
  { programId, head, limit, single = [] }: RecomputeLimits,
): Promise<PolicyPage> {
  const plans = asked.map(one => planOf(one, rows))
  const reading = plans.filter(({ after }) => after !== FROM_NONE)
  const from = reading.map(({ address: policy, after }) => ({ policy, after }))
  const next = await readNextPayments(tx, from, { limit: limit + 1, programId })
  const of = ({ address }: Plan): readonly StoredPayment[] => next.get(address) ?? []
  const count = [...next.values()].reduce((sum, { length }) => sum + length, 0)
  // The last payment only shows that there are more.
  const end = count > limit ? reading.findLastIndex(({ address }) => next.has(address)) : reading.length
  const remaining = reading.slice(end)
  const [last] = remaining
  // A difference is known to this transaction alone, so a policy whose sums move by it is done as a whole or not at all.
  const continued = last?.differed === null ? of(last).slice(0, -1) : []
  const notWhole = new Set(remaining)
  const whole = plans.filter(plan => !notWhole.has(plan))
  const concerned = [...single, ...whole.flatMap(of), ...continued]
  const different = new Map(concerned.map(payment => [payment.row.id, payment]))
  const derived = await derivePayments(tx, head, [...different.values()], rows.sourcesOf)
  return {
    ...derived,
    whole: whole.map(plan => ({
      address: plan.address,
      before: plan.before,
      after: plan.differed ?? sumUp(plan.counted, of(plan)) ?? emptyPolicy(plan.address),
      payments: of(plan),
    })),
    continued: continued.length === 0 ? null : continuedAt(last!, continued),
    remaining: remaining
      .slice(continued.length === 0 ? 0 : 1)
      .map(({ address, after }) => ({ address, cursor: after })),
  }
}

/** What recomputing a policy takes. */
interface Plan {
  address: string
  before: StoredPolicy | undefined
  /** the policy with its sums moved by their difference; null where they are counted */
  differed: PolicyState | null
  /** the policy with what is counted so far; null where no event of it is valid, or nothing is counted */
  counted: PolicyState | null
  /** payments after this are derived again, and counted */
  after: From
  sources: string
}

function planOf({ address, cursor: from, soFar, payments }: PolicyRecompute, rows: RecomputeRows): Plan {
  const before = rows.before.get(address)
  const latest = rows.latest.get(address) ?? null
  const sources = toSources(rows.sourcesOf(address))
  // A mint or an owner that became known since the work was written down concerns the payments before the cursor too, so the
  // work starts again. Before the first page, the policy's row shows what was known then: only the last page writes it.
  const isStale =
    soFar?.sources === undefined ? isLinked(before?.state) !== isLinked(latest) : soFar.sources !== sources
  const sums = isStale ? null : (soFar?.sums ?? null)
  const start = latest?.incarnationStart ?? null
  const differed = latest && before && payments ? sumByDifference(before.state, latest, payments) : null
  // Another incarnation may be the latest one now: its payments are counted from its beginning.
  const continues = sums !== null && sums.incarnationStart === start
  const cursor = isStale ? FROM_START : from
  const isCounted = differed === null && start !== null && !continues
  return {
    address,
    before,
    differed,
    sources,
    counted: differed === null && latest ? (continues ? withSums(latest, sums) : latest) : null,
    after: isCounted ? earlier(cursor, chainPositionOf(start)) : cursor,
  }
}

/** @returns null when the sums must be counted from the beginning of the incarnation */
function sumByDifference(
  before: PolicyState,
  latest: PolicyState,
  payments: NonNullable<PolicyRecompute['payments']>,
): PolicyState | null {
  if (latest.incarnationStart === null || before.incarnationStart !== latest.incarnationStart) return null
  const { paymentCount, totalPaid, periodStart, periodTotal, periodOrder } = before
  const sums = { paymentCount, totalPaid, periodStart, periodTotal, periodOrder }
  return withDifference({ ...latest, ...sums }, payments)
}

/** Adds valid payments to a state in chain order. */
const sumUp = (state: PolicyState | null, payments: readonly StoredPayment[]): PolicyState | null =>
  state &&
  payments
    .filter(({ event, row }) => !row.retracted && isOfIncarnation(state.incarnationStart, event.order))
    .reduce((sum, { event: { order, effect } }) => applyPayment(sum, { order, ...effect }), state)

function continuedAt(
  { address, counted, sources }: Plan,
  payments: readonly StoredPayment[],
): RemainingPolicy {
  const state = sumUp(counted, payments)
  const soFar = { sources, sums: state && toSums(state) }
  return { address, cursor: payments.at(-1)!.event.order, soFar }
}
