// Revenue of a gateway in a span of time, by token, in buckets.
import { dueStateOf, perMonth, roundedSum } from '@payment-tracking/domain'
import {
  bucketSeconds,
  bucketStart,
  groupSubscriptions,
  listPoliciesWithDueDates,
  readFrequency,
  readVolume,
  replaySubscriptions,
  type ActiveSubscription,
  type BucketSize,
  type Store,
  type SubscriptionGroup,
} from '@payment-tracking/store'
import type { Static } from 'typebox'
import type { Tokens } from '../schemas/tokens.js'
import type { Revenue } from './merchant-schemas.js'

export interface Span {
  /** Unix seconds, the first of the span */
  from: number
  /** Unix seconds, the first after the span */
  to: number
  size: BucketSize
}

export interface RevenueParts {
  store: Store
  programId: string
  tokens: Tokens
  graceSeconds: number
  nowMs: () => number
}

/** The seconds at which the buckets of a span begin. */
export function bucketsOf({ from, to, size }: Span): number[] {
  const starts: number[] = []
  for (let start = bucketStart(from, size); start < to; start += bucketSeconds(size)) starts.push(start)
  return starts
}

/** A token's name as a key; all unknown tokens share one key. */
const keyOf = (mint: string | null): string => mint ?? ''

const ofGroups = (groups: readonly SubscriptionGroup[]): bigint =>
  roundedSum(
    groups.map(group => perMonth(group.amount, readFrequency(group.frequency))).filter(each => each !== null),
  )

const ofSubscriptions = (subscriptions: readonly ActiveSubscription[]): bigint =>
  roundedSum(subscriptions.map(each => perMonth(each.amount, each.frequency)).filter(each => each !== null))

const sumOf = <T>(items: readonly T[], pick: (item: T) => bigint): bigint =>
  items.reduce((sum, item) => sum + pick(item), 0n)

const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

function churnOf(atStart: readonly ActiveSubscription[], atEnd: readonly ActiveSubscription[]) {
  const walletsOf = (all: readonly ActiveSubscription[]) =>
    new Set(all.map(({ wallet }) => wallet).filter(wallet => wallet !== null))
  const stayed = walletsOf(atEnd)
  const active = walletsOf(atStart)
  const churned = [...active].filter(wallet => !stayed.has(wallet)).length
  return { activeAtStart: active.size, churned, rate: active.size === 0 ? null : `${churned}/${active.size}` }
}

/** docs/existing-clients.md defines the figures. */
export async function readRevenue(
  { store, programId, tokens, graceSeconds, nowMs }: RevenueParts,
  gateway: string,
  span: Span,
): Promise<Static<typeof Revenue>> {
  const starts = bucketsOf(span)
  const ends = starts.map(start => Math.min(start + bucketSeconds(span.size), span.to))
  const [groups, volume, snapshots, waiting] = await Promise.all([
    groupSubscriptions(store, gateway),
    readVolume(store, gateway, span),
    replaySubscriptions(store, gateway, [span.from, ...ends], programId),
    listPoliciesWithDueDates(store, gateway),
  ])
  const [atStart = [], ...atEnds] = snapshots
  const activeGroups = groups.filter(({ status }) => status === 'active')
  const countOf = (status: string) =>
    sumOf(
      groups.filter(group => group.status === status),
      ({ count }) => count,
    )
  const mints = new Set([
    ...volume.map(({ tokenMint }) => keyOf(tokenMint)),
    ...activeGroups.map(({ tokenMint }) => keyOf(tokenMint)),
    ...snapshots.flat().map(({ tokenMint }) => keyOf(tokenMint)),
  ])
  const byToken = [...mints].map(mint => {
    const isOf = ({ tokenMint }: { tokenMint: string | null }) => keyOf(tokenMint) === mint
    const paid = volume.filter(isOf)
    const active = activeGroups.filter(isOf)
    const uncounted = active.filter(group => perMonth(group.amount, readFrequency(group.frequency)) === null)
    return {
      tokenMint: mint === '' ? null : mint,
      decimals: tokens.get(mint)?.decimals ?? null,
      mrr: ofGroups(active).toString(),
      recognizedRevenue: sumOf(paid, ({ amount }) => amount).toString(),
      series: starts.map((start, index) => ({
        ts: dayOf(start),
        mrr: ofSubscriptions(atEnds[index]!.filter(isOf)).toString(),
        recognized: sumOf(
          paid.filter(bucket => bucket.start === BigInt(start)),
          ({ amount }) => amount,
        ).toString(),
      })),
      paymentCount: sumOf(paid, ({ count }) => count),
      activeSubscriptionCount: sumOf(active, ({ count }) => count),
      uncountedSubscriptions: sumOf(uncounted, ({ count }) => count),
    }
  })
  byToken.sort(
    (a, b) =>
      Number(b.paymentCount - a.paymentCount) ||
      Number(b.activeSubscriptionCount - a.activeSubscriptionCount) ||
      (keyOf(a.tokenMint) < keyOf(b.tokenMint) ? -1 : 1),
  )
  const [first] = byToken
  const now = nowMs() / 1000
  const isOverdue = (policy: (typeof waiting)[number]) =>
    dueStateOf({ ...policy, createdAt: BigInt(policy.createdAt) }, now, graceSeconds) === 'overdue'
  return {
    tokenMint: first?.tokenMint ?? null,
    mrr: first?.mrr ?? '0',
    recognizedRevenue: first?.recognizedRevenue ?? '0',
    series: first?.series ?? starts.map(start => ({ ts: dayOf(start), mrr: '0', recognized: '0' })),
    activeSubscriptionCount: countOf('active'),
    startTime: new Date(span.from * 1000).toISOString(),
    endTime: new Date(span.to * 1000).toISOString(),
    bucket: span.size,
    byToken,
    churn: churnOf(atStart, atEnds.at(-1) ?? []),
    subscriptions: {
      active: countOf('active'),
      paused: countOf('paused'),
      completed: countOf('completed'),
      overdue: waiting.filter(policy => policy.policyType.startsWith('{"Subscription"') && isOverdue(policy))
        .length,
    },
  }
}
