// Revenue of a gateway in a span of time, by token, in buckets.
import { dueStateOf, perMonth } from '@payment-tracking/domain'
import {
  bucketEnd,
  bucketStart,
  readKnownSince,
  readSubscriptions,
  readVolume,
  replaySubscriptions,
  type ActiveSubscription,
  type BucketSize,
  type LivingSubscription,
  type Store,
} from '@payment-tracking/store'
import type { Static } from 'typebox'
import { subscriberSeries } from './subscriber-series.js'
import type { Tokens } from '../tokens.js'
import type { Revenue } from './merchant-schemas.js'
import { monthly, recurringSeries } from './recurring-series.js'

export interface Span {
  /** Unix seconds, the first of the span */
  from: number
  /** Unix seconds, the first after the span */
  to: number
  size: BucketSize
  /** the whole life of the gateway: every payment counts, whatever its own time is */
  whole?: boolean
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
  for (let start = bucketStart(from, size); start < to; start = bucketEnd(start, size)) starts.push(start)
  return starts
}

/** Tokens of one answer: anybody can make a policy of a gateway with a token of their own. */
const MOST_TOKENS = 1_000

/** A token's name as a key; all unknown tokens share one key. */
const keyOf = (mint: string | null): string => mint ?? ''

function partByToken<T extends { tokenMint: string | null }>(items: readonly T[]): Map<string, T[]> {
  const parts = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOf(item.tokenMint)
    const part = parts.get(key)
    if (part) part.push(item)
    else parts.set(key, [item])
  }
  return parts
}

const sumOf = <T>(items: readonly T[], pick: (item: T) => bigint): bigint =>
  items.reduce((sum, item) => sum + pick(item), 0n)

const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

type Payer = Pick<ActiveSubscription, 'wallet'>

const walletsOf = (active: readonly Payer[]) =>
  new Set(active.map(({ wallet }) => wallet).filter(wallet => wallet !== null))

function churnOf(atStart: readonly Payer[], atEnd: readonly Payer[]) {
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
  const ends = starts.map(start => Math.min(bucketEnd(start, span.size), span.to))
  const moments = [span.from, ...ends]
  const read = readSubscriptions(store, gateway)
  const [{ living }, knownSince, volume, snapshots] = await Promise.all([
    read,
    readKnownSince(store),
    readVolume(store, gateway, span),
    read.then(subscriptions => replaySubscriptions(store, subscriptions, { gateway, moments, programId })),
  ])
  /** Payers at a moment. */
  const activeAt = (index: number): Payer[] => [
    ...(snapshots[index] ?? []),
    ...living.filter(({ isSteady, createdAt }) => isSteady && createdAt < moments[index]!),
  ]
  const allActive = living.filter(({ status }) => status === 'active')
  const countOf = (status: string) => living.filter(each => each.status === status).length
  // Each list is parted once: a gateway can have as many tokens as policies.
  const paidIn = partByToken(volume)
  const activeIn = partByToken(allActive)
  const mints = new Set([
    ...paidIn.keys(),
    ...activeIn.keys(),
    ...snapshots.flatMap(active => active.map(({ tokenMint }) => keyOf(tokenMint))),
  ])
  const paymentsIn = (mint: string) => sumOf(paidIn.get(mint) ?? [], ({ count }) => count)
  const ranked = [...mints]
    .map(mint => ({ mint, payments: paymentsIn(mint), subscriptions: activeIn.get(mint)?.length ?? 0 }))
    .sort(
      (a, b) =>
        Number(b.payments - a.payments) || b.subscriptions - a.subscriptions || (a.mint < b.mint ? -1 : 1),
    )
  const shown = new Map(ranked.slice(0, MOST_TOKENS).map(each => [each.mint, each]))
  const isShown = ({ tokenMint }: { tokenMint: string | null }) => shown.has(keyOf(tokenMint))
  const shownSnapshots = snapshots.map(active => active.filter(isShown))
  const [, ...series] = recurringSeries(moments, living.filter(isShown), shownSnapshots, keyOf)
  const byToken = [...shown.values()].map(({ mint, payments }) => {
    const paid = paidIn.get(mint) ?? []
    const paidAt = new Map<bigint, bigint>()
    for (const { start, amount } of paid) paidAt.set(start, (paidAt.get(start) ?? 0n) + amount)
    const active = (activeIn.get(mint) ?? []).map(({ terms }) => terms)
    const uncounted = active.filter(({ amount, frequency }) => perMonth(amount, frequency) === null)
    return {
      tokenMint: mint === '' ? null : mint,
      decimals: tokens.get(mint)?.decimals ?? null,
      mrr: monthly(active).toString(),
      recognizedRevenue: sumOf(paid, ({ amount }) => amount).toString(),
      series: starts.map((start, index) => ({
        ts: dayOf(start),
        mrr: (series[index]!.get(mint) ?? 0n).toString(),
        recognized: (paidAt.get(BigInt(start)) ?? 0n).toString(),
      })),
      paymentCount: payments,
      activeSubscriptionCount: active.length,
      uncountedSubscriptions: uncounted.length,
    }
  })
  const [first] = byToken
  const now = nowMs() / 1000
  const isOverdue = ({ status, dueAt }: LivingSubscription) =>
    dueStateOf({ live: true, status, dueAt, endsAt: null }, now, graceSeconds) === 'overdue'
  return {
    tokenMint: first?.tokenMint ?? null,
    mrr: first?.mrr ?? '0',
    recognizedRevenue: first?.recognizedRevenue ?? '0',
    series: first?.series ?? starts.map(start => ({ ts: dayOf(start), mrr: '0', recognized: '0' })),
    activeSubscriptionCount: countOf('active'),
    startTime: new Date(span.from * 1000).toISOString(),
    endTime: new Date(span.to * 1000).toISOString(),
    knownSince: knownSince?.toISOString() ?? null,
    bucket: span.size,
    byToken,
    churn: churnOf(activeAt(0), activeAt(moments.length - 1)),
    subscribers: subscriberSeries(moments, living, snapshots).map((point, index) => ({
      ts: dayOf(starts[index]!),
      ...point,
    })),
    subscriptions: {
      active: countOf('active'),
      paused: countOf('paused'),
      completed: countOf('completed'),
      overdue: living.filter(isOverdue).length,
    },
  }
}
