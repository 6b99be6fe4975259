// Revenue of a gateway in a span of time, by token, in buckets.
import { setImmediate as giveWay } from 'node:timers/promises'
import { dueStateOf, MonthlyRevenue, noMovements, perMonth, type Tokens } from '@payment-tracking/domain'
import {
  bucketEnd,
  bucketStart,
  countPayersByToken,
  readKnownSince,
  readSubscriptions,
  readVolume,
  replaySubscriptions,
  type BucketSize,
  type LivingSubscription,
} from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import type { Static } from 'typebox'
import { ActiveSeries } from './active-series.js'
import type { Revenue } from './merchant-schemas.js'
import { toMovements } from './movement-schemas.js'

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
/** Points of all series of one answer, which is written in one turn: 7 MB. */
const MOST_POINTS = 40_000

/** A token's name as a key; all unknown tokens share one key. */
const mintKey = (mint: string | null): string => mint ?? ''

const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

/** Active subscriptions in a token. */
interface ActiveInToken {
  monthly: MonthlyRevenue
  neverPaid: { monthly: MonthlyRevenue; count: number }
  count: number
  /** those of a frequency that has no month */
  uncounted: number
}

/** The subscriptions of a gateway, added up page by page. */
async function addUpSubscriptions(
  { store, programId, graceSeconds, nowMs }: RevenueParts,
  gateway: string,
  moments: readonly number[],
) {
  const series = new ActiveSeries(moments, mintKey)
  const activeIn = new Map<string, ActiveInToken>()
  const counts = { active: 0, paused: 0, completed: 0, overdue: 0 }
  const now = nowMs() / 1000
  const add = (subscription: LivingSubscription) => {
    const { status, dueAt, tokenMint, wallet, wasPaid, isSteady, createdAt, terms } = subscription
    const { amount, frequency } = terms
    if (isSteady) series.add(Number(createdAt) * 1_000, { tokenMint, wallet, wasPaid, amount, frequency }, 1)
    if (status === 'active' || status === 'paused' || status === 'completed') counts[status]++
    if (dueStateOf({ live: true, status, dueAt, endsAt: null }, now, graceSeconds) === 'overdue')
      counts.overdue++
    if (status !== 'active') return
    const active = activeIn.get(mintKey(tokenMint)) ?? {
      monthly: new MonthlyRevenue(),
      neverPaid: { monthly: new MonthlyRevenue(), count: 0 },
      count: 0,
      uncounted: 0,
    }
    activeIn.set(mintKey(tokenMint), active)
    active.count++
    if (perMonth(amount, frequency) === null) active.uncounted++
    if (!wasPaid) active.neverPaid.count++
    const { monthly } = wasPaid ? active : active.neverPaid
    monthly.add(amount, frequency)
  }
  for await (const page of readSubscriptions(store, gateway)) {
    for (const subscription of page.living) add(subscription)
    for (const { createdAt, closedAtMs, tokenMint, wallet, wasPaid, terms } of page.closed) {
      const { amount, frequency } = terms
      const subscription = { tokenMint, wallet, wasPaid, amount, frequency }
      series.add(Number(createdAt) * 1_000, subscription, 1)
      series.add(closedAtMs, subscription, -1)
    }
    for (const { atMs, became, subscription } of await replaySubscriptions(store, page, {
      gateway,
      programId,
    }))
      series.add(atMs, subscription, became === 'active' ? 1 : -1)
  }
  return { series, activeIn, counts }
}

/**
 * docs/existing-clients.md defines the figures. The subscriptions are read in pages. A gateway with very many waits for them, and
 * nobody else does.
 */
export async function readRevenue(
  parts: RevenueParts,
  gateway: string,
  span: Span,
): Promise<Static<typeof Revenue>> {
  const { store, tokens } = parts
  const starts = bucketsOf(span)
  const moments = [span.from, ...starts.map(start => Math.min(bucketEnd(start, span.size), span.to))]
  const [{ series, activeIn, counts }, knownSince, volume, payersIn] = await Promise.all([
    addUpSubscriptions(parts, gateway, moments),
    readKnownSince(store),
    readVolume(store, gateway, span),
    countPayersByToken(store, gateway),
  ])
  const paidIn = new Map(volume.map(paid => [mintKey(paid.tokenMint), paid]))
  const mints = new Set([...paidIn.keys(), ...activeIn.keys(), ...series.tokens()])
  const ranked = [...mints]
    .map(mint => {
      const payments = paidIn.get(mint)?.count ?? 0n
      const isListed = tokens.has(mint)
      return {
        mint,
        payments,
        isListed,
        // Where a listed token was paid, the number of payments decides; anybody can pay himself often in a token of his own.
        listedPayments: isListed ? payments : 0n,
        payers: payersIn.get(mint === '' ? null : mint) ?? 0n,
        subscriptions: activeIn.get(mint)?.count ?? 0,
      }
    })
    .sort(
      (a, b) =>
        Number(b.listedPayments - a.listedPayments) ||
        Number(b.payers - a.payers) ||
        Number(b.payments - a.payments) ||
        Number(b.isListed) - Number(a.isListed) ||
        b.subscriptions - a.subscriptions ||
        (a.mint < b.mint ? -1 : 1),
    )
  const most = Math.min(MOST_TOKENS, Math.floor(MOST_POINTS / starts.length))
  const byToken = []
  for (const { mint, payments, subscriptions } of ranked.slice(0, most)) {
    await giveWay()
    const paid = paidIn.get(mint)
    const active = activeIn.get(mint)
    const {
      recurring: [atStart = 0n, ...recurring],
      movements,
    } = await series.recurring(mint)
    byToken.push({
      tokenMint: mint === '' ? null : mint,
      decimals: tokens.get(mint)?.decimals ?? null,
      mrr: (active?.monthly.rounded() ?? 0n).toString(),
      neverPaid: {
        mrr: (active?.neverPaid.monthly.rounded() ?? 0n).toString(),
        subscriptionCount: active?.neverPaid.count ?? 0,
      },
      recognizedRevenue: (paid?.amount ?? 0n).toString(),
      mrrAtStart: atStart.toString(),
      series: starts.map((start, index) => ({
        ts: dayOf(start),
        mrr: recurring[index]!.toString(),
        recognized: (paid?.buckets.get(start) ?? 0n).toString(),
        movements: toMovements(movements[index]!),
      })),
      paymentCount: payments,
      activeSubscriptionCount: subscriptions,
      uncountedSubscriptions: active?.uncounted ?? 0,
    })
  }
  const [first] = byToken
  const { points, churn } = series.subscribers()
  return {
    tokenMint: first?.tokenMint ?? null,
    mrr: first?.mrr ?? '0',
    neverPaid: first?.neverPaid ?? { mrr: '0', subscriptionCount: 0 },
    recognizedRevenue: first?.recognizedRevenue ?? '0',
    mrrAtStart: first?.mrrAtStart ?? '0',
    series:
      first?.series ??
      starts.map(start => ({
        ts: dayOf(start),
        mrr: '0',
        recognized: '0',
        movements: toMovements(noMovements()),
      })),
    activeSubscriptionCount: counts.active,
    startTime: new Date(span.from * 1000).toISOString(),
    endTime: new Date(span.to * 1000).toISOString(),
    knownSince: knownSince?.toISOString() ?? null,
    bucket: span.size,
    byToken,
    churn,
    subscribers: points.map((point, index) => ({ ts: dayOf(starts[index]!), ...point })),
    subscriptions: counts,
  }
}
