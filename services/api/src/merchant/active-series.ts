// Subscriptions and their payers at past moments, from changes that come in any order. What is kept grows with the changes, and
// not with the moments times the subscriptions: a life of 400 buckets has 400 moments.
import { MonthlyRevenue } from '@payment-tracking/domain'
import type { ActiveSubscription } from '@payment-tracking/store'

export interface SubscriberPoint {
  /** wallets with an active subscription at the end */
  active: number
  came: number
  left: number
}

export interface Churn {
  activeAtStart: number
  churned: number
  /** a fraction such as `1/4`; null when nobody was active */
  rate: string | null
}

/** A change of all subscriptions between two moments. */
type Change = Map<string, number>

export class ActiveSeries {
  /** by wallet, how many more active subscriptions it has at a moment than at the moment before */
  readonly #wallets: Change[]
  /** by token: its changes at the index of each moment */
  readonly #tokens = new Map<string, Map<number, { subscription: ActiveSubscription; sign: 1 | -1 }[]>>()

  /** @param moments ascending, Unix seconds: the beginning of the first bucket, then the end of each */
  constructor(
    private readonly moments: readonly number[],
    private readonly keyOf: (mint: string | null) => string,
  ) {
    this.#wallets = moments.map(() => new Map())
  }

  /** A subscription becomes active (1), or stops to be (-1): it counts from the first moment after that. */
  add(atMs: number, subscription: ActiveSubscription, sign: 1 | -1): void {
    const index = this.#firstAfter(atMs)
    const change = this.#wallets[index]
    if (change === undefined) return
    const { wallet, tokenMint, wasPaid } = subscription
    if (wallet !== null) change.set(wallet, (change.get(wallet) ?? 0) + sign)
    // What nobody has paid is nobody's revenue: anybody can make a policy of any amount.
    if (!wasPaid) return
    const token = keptIn(this.#tokens, this.keyOf(tokenMint), () => new Map<number, never[]>())
    keptIn(token, index, () => []).push({ subscription, sign })
  }

  /** The tokens of which a subscription that was paid was active at one of the moments. */
  tokens(): string[] {
    return [...this.#tokens].flatMap(([token, changes]) => {
      let active = 0
      const isActive = [...changes]
        .sort(([a], [b]) => a - b)
        .some(([, all]) => (active += all.reduce((sum, { sign }) => sum + sign, 0)) > 0)
      return isActive ? [token] : []
    })
  }

  /** @returns the monthly recurring revenue of a token at each moment, of subscriptions that were paid once */
  recurring(token: string): bigint[] {
    const changes = this.#tokens.get(token)
    const monthly = new MonthlyRevenue()
    return this.moments.map((_, index) => {
      for (const { subscription, sign } of changes?.get(index) ?? [])
        monthly.add(BigInt(sign) * subscription.amount, subscription.frequency)
      return monthly.rounded()
    })
  }

  /** @returns a point for each bucket, and how many of the wallets at the beginning are gone at the end */
  subscribers(): { points: SubscriberPoint[]; churn: Churn } {
    const active = new Map<string, number>()
    const [first = new Map<string, number>(), ...buckets] = this.#wallets
    const take = (change: Change) => {
      let [came, left] = [0, 0]
      for (const [wallet, more] of change) {
        const [was, is] = [active.get(wallet) ?? 0, (active.get(wallet) ?? 0) + more]
        if (was <= 0 && is > 0) came++
        if (was > 0 && is <= 0) left++
        if (is === 0) active.delete(wallet)
        else active.set(wallet, is)
      }
      return { came, left }
    }
    take(first)
    const atStart = new Set(active.keys())
    let count = active.size
    const points = buckets.map(change => {
      const { came, left } = take(change)
      count += came - left
      return { active: count, came, left }
    })
    const churned = [...atStart].filter(wallet => !active.has(wallet)).length
    const rate = atStart.size === 0 ? null : `${churned}/${atStart.size}`
    return { points, churn: { activeAtStart: atStart.size, churned, rate } }
  }

  /** The index of the first moment after a time; past the end for a time that no moment follows. */
  #firstAfter(atMs: number): number {
    let [low, high] = [0, this.moments.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.moments[middle]! * 1_000 > atMs) high = middle
      else low = middle + 1
    }
    return low
  }
}

function keptIn<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const kept = map.get(key) ?? make()
  map.set(key, kept)
  return kept
}
