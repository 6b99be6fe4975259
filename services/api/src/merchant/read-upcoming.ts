// Payments that a gateway may expect.
import { setImmediate as giveWay } from 'node:timers/promises'
import { dueDatesBetween, type PolicyTerms, readPolicyTerms, type Tokens } from '@payment-tracking/domain'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import {
  listPoliciesWithDueDates,
  MOST_DUE_POLICIES,
  type PolicyWithDueDates,
  type Store,
} from '@payment-tracking/store'
import type { Static } from 'typebox'
import { toDueRiskRecord } from '../policies/due-risk-record.js'
import type { Upcoming } from './merchant-schemas.js'
import { UpcomingRisks } from './upcoming-risks.js'

/** The most due dates of one policy in an answer: a subscription with a period of one second has millions. */
const MOST_OF_A_POLICY = 1_000
/** Of all policies together, which share them equally: those of a month when 10,000 are due each day. They are sorted in one turn. */
const MOST_DATES = 320_000
/** Rows of an answer by day: each policy can have a token of its own. */
const MOST_DAYS = 10_000
/** Dates to look at before the event loop gets a turn, and how many a policy without dates costs. */
const DATES_AT_ONCE = 2_000
const COST_OF_POLICY = 20
const DAY = 86_400

function dueDatesOf(
  policy: PolicyWithDueDates,
  terms: PolicyTerms,
  { from, to, most }: { from: bigint; to: bigint; most: number },
): bigint[] {
  if (terms.kind === 'one-time') {
    if (policy.paymentCount > 0n) return []
    const dueAt = terms.dueDate > 0n ? terms.dueDate : policy.createdAt
    return dueAt >= from && dueAt < to ? [dueAt] : []
  }
  if (terms.kind !== 'subscription' || policy.nextPaymentDue === null) return []
  const { maxRenewals, autoRenew, frequency } = terms
  // Without automatic renewal, a subscription with an end is over after one payment.
  const all = maxRenewals === null ? null : autoRenew ? BigInt(maxRenewals) : 1n
  const paymentsLeft = all === null ? null : all - policy.paymentCount
  if (paymentsLeft !== null && paymentsLeft <= 0n) return []
  return dueDatesBetween({ frequency, nextDue: policy.nextPaymentDue, paymentsLeft }, from, to, most)
}

/** The due dates of policies, earliest first. */
class DueDates {
  readonly complete: boolean
  /** a date and the place of its policy as one number, which sorts thirty times as fast as a pair */
  readonly #keys: Float64Array

  constructor(
    /** sorted by address */
    private readonly policies: readonly PolicyWithDueDates[],
    private readonly terms: readonly PolicyTerms[],
    found: { keys: readonly number[]; complete: boolean },
  ) {
    this.complete = found.complete
    this.#keys = Float64Array.from(found.keys).sort()
  }

  /** Exact: dates of four digits have 38 bits, and places 14. */
  static keyOf = (dueAt: bigint, place: number): number => Number(dueAt) * (MOST_DUE_POLICIES + 1) + place

  get count(): number {
    return this.#keys.length
  }

  *between(start: number, end: number) {
    for (const key of this.#keys.subarray(start, end)) {
      const dueAt = Math.floor(key / (MOST_DUE_POLICIES + 1))
      const place = key - dueAt * (MOST_DUE_POLICIES + 1)
      const terms = this.terms[place]!
      const amount = terms.kind === 'one-time' || terms.kind === 'subscription' ? terms.amount : 0n
      const variant = terms.kind === 'one-time' ? 'OneTime' : 'Subscription'
      yield { dueAt, policy: this.policies[place]!, variant, amount }
    }
  }
}

async function findDueDates(
  read: readonly PolicyWithDueDates[],
  { from, to }: { from: bigint; to: bigint },
): Promise<DueDates> {
  const policies = [...read].sort((a, b) => (a.address < b.address ? -1 : 1))
  const most = Math.min(MOST_OF_A_POLICY, Math.floor(MOST_DATES / Math.max(1, policies.length)))
  const terms: PolicyTerms[] = []
  const keys: number[] = []
  let [complete, cost] = [true, 0]
  for (const [place, policy] of policies.entries()) {
    const read = readPolicyTerms(policy.policyType)
    terms.push(read)
    const dates = dueDatesOf(policy, read, { from, to, most: most + 1 })
    if (dates.length > most) complete = false
    for (const dueAt of dates.slice(0, most)) keys.push(DueDates.keyOf(dueAt, place))
    cost += dates.length + COST_OF_POLICY
    if (cost < DATES_AT_ONCE) continue
    cost = 0
    await giveWay()
  }
  return new DueDates(policies, terms, { keys, complete })
}

interface Sum {
  tokenMint: string | null
  count: number
  totalAmount: bigint
}

/** Of these, what is at risk. */
interface TokenSum extends Sum {
  atRisk: Omit<Sum, 'tokenMint'>
}

/** @returns by token, and by day and token, the earliest first */
async function addUp(due: DueDates, risks: UpcomingRisks) {
  const tokens = new Map<string | null, TokenSum>()
  const days = new Map<string, Sum & { day: number }>()
  let complete = true
  const add = (sum: Omit<Sum, 'tokenMint'>, amount: bigint) => {
    sum.count++
    sum.totalAmount += amount
  }
  for (let start = 0; start < due.count; start += DATES_AT_ONCE) {
    for (const { dueAt, policy, amount } of due.between(start, start + DATES_AT_ONCE)) {
      const { tokenMint } = policy
      const nothing = { count: 0, totalAmount: 0n }
      const token = tokens.get(tokenMint) ?? { tokenMint, ...nothing, atRisk: { ...nothing } }
      tokens.set(tokenMint, token)
      add(token, amount)
      if (risks.of(policy.address, dueAt).state === 'at_risk') add(token.atRisk, amount)
      const day = Math.floor(dueAt / DAY)
      const key = `${day} ${tokenMint ?? ''}`
      const sum = days.get(key) ?? { day, tokenMint, count: 0, totalAmount: 0n }
      if (sum.count === 0 && days.size === MOST_DAYS) complete = false
      else days.set(key, sum)
      add(sum, amount)
    }
    await giveWay()
  }
  return { tokens, days, complete }
}

const written = ({ tokenMint, count, totalAmount, atRisk }: TokenSum) => ({
  tokenMint,
  count,
  totalAmount: totalAmount.toString(),
  atRiskCount: atRisk.count,
  atRiskAmount: atRisk.totalAmount.toString(),
})

export interface UpcomingOptions {
  /** its tokens come first in `byToken`: anybody can make policies in any number of others */
  listed?: Pick<Tokens, 'has'>
  programId?: string
  /** Unix seconds */
  now?: number
  /** lists only payments at risk; sums and `total` stay those of all */
  atRisk?: boolean | undefined
}

/** Every due date in a span (Unix seconds) of the active subscriptions and one-time policies of a gateway. */
export async function readUpcoming(
  store: Store,
  gateway: string,
  { from, to, limit, offset }: { from: bigint; to: bigint; limit: number; offset: number },
  {
    listed = new Map(),
    programId = DEFAULT_PROGRAM_ID,
    now = Math.floor(Date.now() / 1000),
    atRisk = false,
  }: UpcomingOptions = {},
): Promise<Static<typeof Upcoming>> {
  const { policies, complete } = await listPoliciesWithDueDates(store, gateway)
  const risks = await UpcomingRisks.read(store, policies, { programId, now, to })
  const due = await findDueDates(policies, { from, to })
  const { tokens, days, complete: hasAllDays } = await addUp(due, risks)
  const items = atRisk
    ? [...due.between(0, due.count)]
        .filter(({ policy, dueAt }) => risks.of(policy.address, dueAt).state === 'at_risk')
        .slice(offset, offset + limit)
    : [...due.between(offset, offset + limit)]
  return {
    items: items.map(({ dueAt, policy, variant, amount }) => ({
      dueAt,
      policyAddress: policy.address,
      variant,
      recipient: policy.recipient,
      wallet: policy.wallet,
      trackingId: policy.trackingId,
      tokenMint: policy.tokenMint,
      amount: amount.toString(),
      dueRisk: toDueRiskRecord(risks.of(policy.address, dueAt)),
    })),
    byToken: [...tokens.values()]
      .sort((a, b) => Number(listed.has(b.tokenMint ?? '')) - Number(listed.has(a.tokenMint ?? '')))
      .map(written),
    byDay: [...days.values()].map(({ day, ...sum }) => ({
      day: new Date(day * DAY * 1000).toISOString().slice(0, 10),
      tokenMint: sum.tokenMint,
      count: sum.count,
      totalAmount: sum.totalAmount.toString(),
    })),
    total: due.count,
    complete: complete && due.complete && hasAllDays,
  }
}
