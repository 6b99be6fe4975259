// Revenue of a gateway in a span of time, by token, in buckets.
import { dueStateOf, perMonth } from '@payment-tracking/domain'
import {
  bucketEnd,
  bucketStart,
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
import type { Tokens } from '../schemas/tokens.js'
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

/** A token's name as a key; all unknown tokens share one key. */
const keyOf = (mint: string | null): string => mint ?? ''

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
  const [{ living }, volume, snapshots] = await Promise.all([
    read,
    readVolume(store, gateway, span),
    read.then(subscriptions => replaySubscriptions(store, subscriptions, { gateway, moments, programId })),
  ])
  const [, ...series] = recurringSeries(moments, living, snapshots, keyOf)
  /** Payers at a moment. */
  const activeAt = (index: number): Payer[] => [
    ...(snapshots[index] ?? []),
    ...living.filter(({ isSteady, createdAt }) => isSteady && createdAt < moments[index]!),
  ]
  const allActive = living.filter(({ status }) => status === 'active')
  const countOf = (status: string) => living.filter(each => each.status === status).length
  const mints = new Set([
    ...volume.map(({ tokenMint }) => keyOf(tokenMint)),
    ...allActive.map(({ tokenMint }) => keyOf(tokenMint)),
    ...snapshots.flat().map(({ tokenMint }) => keyOf(tokenMint)),
  ])
  const byToken = [...mints].map(mint => {
    const isOf = ({ tokenMint }: { tokenMint: string | null }) => keyOf(tokenMint) === mint
    const paid = volume.filter(isOf)
    const active = allActive.filter(isOf).map(({ terms }) => terms)
    const uncounted = active.filter(({ amount, frequency }) => perMonth(amount, frequency) === null)
    return {
      tokenMint: mint === '' ? null : mint,
      decimals: tokens.get(mint)?.decimals ?? null,
      mrr: monthly(active).toString(),
      recognizedRevenue: sumOf(paid, ({ amount }) => amount).toString(),
      series: starts.map((start, index) => ({
        ts: dayOf(start),
        mrr: (series[index]!.get(mint) ?? 0n).toString(),
        recognized: sumOf(
          paid.filter(bucket => bucket.start === BigInt(start)),
          ({ amount }) => amount,
        ).toString(),
      })),
      paymentCount: sumOf(paid, ({ count }) => count),
      activeSubscriptionCount: active.length,
      uncountedSubscriptions: uncounted.length,
    }
  })
  byToken.sort(
    (a, b) =>
      Number(b.paymentCount - a.paymentCount) ||
      b.activeSubscriptionCount - a.activeSubscriptionCount ||
      (keyOf(a.tokenMint) < keyOf(b.tokenMint) ? -1 : 1),
  )
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
