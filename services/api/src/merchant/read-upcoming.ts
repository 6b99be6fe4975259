// Payments that a gateway may expect.
import { setImmediate as giveWay } from 'node:timers/promises'
import {
  dueDatesBetween,
  readPolicyTerms,
  UNWATCHED,
  type DueRisk,
  type PolicyTerms,
  type Tokens,
} from '@payment-tracking/domain'
import { DEFAULT_PROGRAM_ID } from '@payment-tracking/contracts'
import { findDueRisks, type Store } from '@payment-tracking/store/core'
import {
  listPoliciesWithDueDates,
  MOST_DUE_POLICIES,
  sumAtRisk,
  type DuePolicyPage,
  type PolicyWithDueDates,
  type StateClock,
  type SumsAtRisk,
} from '@payment-tracking/store/reads'
import type { Static } from 'typebox'
import { DueSums, duesOf, type DueSpan, type PolicyDues } from './due-sums.js'
import { toDueRiskRecord } from '../policies/due-risk-record.js'
import type { Upcoming } from './merchant-schemas.js'

/** The most due dates of one policy in an answer: a subscription with a period of one second has millions. */
const MOST_OF_A_POLICY = 1_000
/** Of all policies together, which share them equally: those of a month when 10,000 are due each day. They are sorted in one turn. */
const MOST_DATES = 320_000
/** Policies of which an answer has the sums: the newest. */
const MOST_SUMMED_POLICIES = 100_000
/** Each policy can have a token of its own. */
const MOST_TOKENS = 10_000
/** Dates to look at before the event loop gets a turn, and how many a policy without dates costs. */
const DATES_AT_ONCE = 2_000
const COST_OF_POLICY = 20
const DAY = 86_400

/** The due dates that `DueSums` counts, as a list. */
export function dueDatesOf(dues: PolicyDues, to: bigint, most: number): bigint[] {
  const owed = dues.owed === null ? [] : [dues.owed]
  return [...owed, ...dueDatesBetween(dues.schedule, dues.from, to, most - owed.length)]
}

interface DatedPolicy {
  dueAt: number
  policy: PolicyWithDueDates
  variant: string
  amount: bigint
}

/** The due dates of policies, earliest first. */
class DueDates {
  /** up to this date none is missing; null for all */
  readonly #knownUntil: number | null
  /** a date and the index of its policy as one number, which sorts thirty times as fast as a pair */
  readonly #keys: Float64Array

  constructor(
    /** sorted by address */
    private readonly policies: readonly PolicyWithDueDates[],
    private readonly terms: readonly PolicyTerms[],
    found: { keys: readonly number[]; knownUntil: number | null },
  ) {
    this.#knownUntil = found.knownUntil
    this.#keys = Float64Array.from(found.keys).sort()
  }

  /** Exact: dates of four digits have 38 bits, and indexes 14. */
  static keyOf = (dueAt: bigint, index: number): number => Number(dueAt) * (MOST_DUE_POLICIES + 1) + index

  /** Whether the first so many are the earliest that there are. */
  hasFirst(count: number): boolean {
    if (this.#knownUntil === null) return true
    const last = this.#keys[count - 1]
    return last !== undefined && last < DueDates.keyOf(BigInt(this.#knownUntil), 0)
  }

  *between(start: number, end: number): Generator<DatedPolicy> {
    for (const key of this.#keys.subarray(start, end)) {
      const dueAt = Math.floor(key / (MOST_DUE_POLICIES + 1))
      yield this.#dated(key - dueAt * (MOST_DUE_POLICIES + 1), dueAt)
    }
  }

  /** These dates of these policies; a policy that was not there yet is left out. */
  ofPolicies(dates: SumsAtRisk['page']): DatedPolicy[] {
    const indexes = new Map(this.policies.map(({ address }, index) => [address, index]))
    return dates.flatMap(({ address, dueAt }) => {
      const index = indexes.get(address)
      return index === undefined ? [] : [this.#dated(index, Number(dueAt))]
    })
  }

  #dated(index: number, dueAt: number): DatedPolicy {
    const terms = this.terms[index]!
    const amount = terms.kind === 'one-time' || terms.kind === 'subscription' ? terms.amount : 0n
    const variant = terms.kind === 'one-time' ? 'OneTime' : 'Subscription'
    return { dueAt, policy: this.policies[index]!, variant, amount }
  }
}

/** A policy, and what it owes in the span. */
interface ReadPolicy {
  policy: PolicyWithDueDates
  terms: PolicyTerms
  dues: PolicyDues | null
}

async function findDueDates(read: readonly ReadPolicy[], to: bigint): Promise<DueDates> {
  const listed = [...read].sort((a, b) => (a.policy.address < b.policy.address ? -1 : 1))
  const most = Math.min(MOST_OF_A_POLICY, Math.floor(MOST_DATES / Math.max(1, listed.length)))
  const keys: number[] = []
  let [knownUntil, cost]: [number | null, number] = [null, 0]
  for (const [index, { dues }] of listed.entries()) {
    const dates = dues === null ? [] : dueDatesOf(dues, to, most + 1)
    if (dates.length > most) knownUntil = Math.min(knownUntil ?? Infinity, Number(dates[most]))
    for (const dueAt of dates.slice(0, most)) keys.push(DueDates.keyOf(dueAt, index))
    cost += dates.length + COST_OF_POLICY
    if (cost < DATES_AT_ONCE) continue
    cost = 0
    await giveWay()
  }
  const policies = listed.map(({ policy }) => policy)
  return new DueDates(
    policies,
    listed.map(({ terms }) => terms),
    { keys, knownUntil },
  )
}

interface FoundDues {
  /** of the newest policies */
  listed: ReadPolicy[]
  isListComplete: boolean
  sums: DueSums
  areSumsComplete: boolean
}

/** Adds up the newest 100,000 living policies of a gateway page by page, and keeps the newest 10,000 for a list. */
async function findDues(store: Store, gateway: string, span: DueSpan, clock: StateClock): Promise<FoundDues> {
  const found: FoundDues = {
    listed: [],
    isListComplete: true,
    sums: new DueSums(span, clock),
    areSumsComplete: true,
  }
  let [looked, cost] = [0, 0]
  for (let after: DuePolicyPage['next'] = null; ;) {
    const page: DuePolicyPage = await listPoliciesWithDueDates(store, gateway, clock, after)
    const isListed = looked < MOST_DUE_POLICIES
    if (!isListed && page.looked > 0) found.isListComplete = false
    looked += page.looked
    for (const policy of page.policies) {
      const terms = readPolicyTerms(policy.policyType)
      const dues = duesOf(policy, terms, span)
      cost += COST_OF_POLICY + (dues === null ? 0 : found.sums.add(policy, dues))
      if (isListed) found.listed.push({ policy, terms, dues })
      if (cost < DATES_AT_ONCE) continue
      cost = 0
      await giveWay()
    }
    if (page.next === null) return found
    if (looked >= MOST_SUMMED_POLICIES) return { ...found, areSumsComplete: false }
    after = page.next
  }
}

/** Only the next payment of a policy is judged: of later ones nobody knows. */
async function readRisks(store: Store, items: readonly DatedPolicy[], programId: string) {
  const isNext = ({ policy, dueAt }: DatedPolicy) => policy.dueAt === BigInt(dueAt)
  const judged = items.filter(isNext).map(({ policy }) => policy.address)
  const risks = await findDueRisks(store, judged, programId)
  return (item: DatedPolicy): DueRisk => (isNext(item) && risks.get(item.policy.address)) || UNWATCHED
}

const written = (
  { tokenMint, count, total, overdue }: ReturnType<DueSums['byToken']>[number],
  { byToken }: SumsAtRisk,
) => ({
  tokenMint,
  count,
  totalAmount: total.toString(),
  overdueCount: overdue.count,
  overdueAmount: overdue.total.toString(),
  atRiskCount: byToken.get(tokenMint)?.count ?? 0n,
  atRiskAmount: (byToken.get(tokenMint)?.total ?? 0n).toString(),
})

export interface UpcomingOptions {
  /** its tokens come first in `byToken`: anybody can make policies in any number of others */
  listed?: Pick<Tokens, 'has'>
  programId?: string
  clock?: StateClock
  /** lists only payments at risk; sums and `total` stay those of all */
  atRisk?: boolean | undefined
}

/** What the active subscriptions and one-time policies of a gateway owe in a span (Unix seconds). */
export async function readUpcoming(
  store: Store,
  gateway: string,
  { from, to, limit, offset }: { from: bigint; to: bigint; limit: number; offset: number },
  {
    listed = new Map(),
    programId = DEFAULT_PROGRAM_ID,
    clock = { nowSeconds: Math.floor(Date.now() / 1000), graceSeconds: 0 },
    atRisk = false,
  }: UpcomingOptions = {},
): Promise<Static<typeof Upcoming>> {
  const now = clock.nowSeconds
  const span = { from, to, limit: atRisk ? limit : 0, offset }
  const [dues, risky] = await Promise.all([
    findDues(store, gateway, { from, to, now: BigInt(now) }, clock),
    sumAtRisk(store, gateway, span, { programId, clock }),
  ])
  const due = await findDueDates(dues.listed, to)
  const items = atRisk ? due.ofPolicies(risky.page) : [...due.between(offset, offset + limit)]
  const riskOf = await readRisks(store, items, programId)
  const byDay = dues.sums.byDay()
  const inOrder = dues.sums
    .byToken()
    .sort((a, b) => Number(listed.has(b.tokenMint ?? '')) - Number(listed.has(a.tokenMint ?? '')))
  return {
    items: items.map(item => ({
      dueAt: item.dueAt,
      policyAddress: item.policy.address,
      variant: item.variant,
      recipient: item.policy.recipient,
      wallet: item.policy.wallet,
      trackingId: item.policy.trackingId,
      tokenMint: item.policy.tokenMint,
      amount: item.amount.toString(),
      dueRisk: toDueRiskRecord(riskOf(item)),
    })),
    byToken: inOrder.slice(0, MOST_TOKENS).map(sum => written(sum, risky)),
    byDay: byDay.days.map(({ day, tokenMint, count, total }) => ({
      day: new Date(day * DAY * 1000).toISOString().slice(0, 10),
      tokenMint,
      count,
      totalAmount: total.toString(),
    })),
    total: inOrder.reduce((sum, { count }) => sum + count, 0n),
    complete: dues.areSumsComplete && byDay.complete && inOrder.length <= MOST_TOKENS,
    itemsComplete: dues.isListComplete && (atRisk || due.hasFirst(offset + limit)),
  }
}
