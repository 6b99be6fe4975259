// Subscriptions and their payers at past moments, from changes that come in any order. What is kept grows with the changes, and
// not with the moments times the subscriptions: a life of 400 buckets has 400 moments.
import { setImmediate as giveWay } from 'node:timers/promises'
import {
  monthlyParts,
  movementOf,
  noMovements,
  roundMovements,
  roundParts,
  type Movements,
} from '@payment-tracking/domain'
import type { ActiveSubscription } from '@payment-tracking/store/reads'

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

/** Monthly recurring revenue of a token, of subscriptions that were paid once. */
export interface RecurringSeries {
  /** at each moment */
  recurring: bigint[]
  /** between each moment and the one before it: one less */
  movements: Movements[]
}

/** A change of all subscriptions between two moments. */
type Change = Map<string, number>

/** A subscription becomes active (sign 1), or stops to be (-1). */
interface PaidChange {
  atMs: number
  /** of the first moment after it */
  index: number
  sign: 1 | -1
  parts: bigint
}

/** Wallets to look at before the event loop gets a turn: each costs some microseconds. */
const WALLETS_AT_ONCE = 2_000

export class ActiveSeries {
  /** by wallet, how many more active subscriptions it has at a moment than at the moment before */
  readonly #wallets: Change[]
  /** by token and wallet; wallets that are not known yet are one */
  readonly #tokens = new Map<string, Map<string, PaidChange[]>>()

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
    const { wallet, tokenMint, wasPaid, amount, frequency } = subscription
    if (wallet !== null) change.set(wallet, (change.get(wallet) ?? 0) + sign)
    // What nobody has paid is nobody's revenue: anybody can make a policy of any amount.
    if (!wasPaid) return
    const token = keptIn(this.#tokens, this.keyOf(tokenMint), () => new Map<string, PaidChange[]>())
    const parts = BigInt(sign) * monthlyParts(amount, frequency)
    keptIn(token, wallet ?? '', () => []).push({ atMs, index, sign, parts })
  }

  /** The tokens of which a subscription that was paid was active at one of the moments. */
  tokens(): string[] {
    return [...this.#tokens].flatMap(([token, wallets]) => {
      const counts = this.moments.map(() => 0)
      for (const changes of wallets.values()) for (const { index, sign } of changes) counts[index]! += sign
      let active = 0
      return counts.some(more => (active += more) > 0) ? [token] : []
    })
  }

  /** The monthly recurring revenue of a token at each moment, and by which wallets it comes to the next. */
  async recurring(token: string): Promise<RecurringSeries> {
    const differences = this.moments.map(() => 0n)
    const moved = this.moments.map(noMovements)
    let checked = 0
    for (const changes of this.#tokens.get(token)?.values() ?? []) {
      if (++checked % WALLETS_AT_ONCE === 0) await giveWay()
      addWallet(changes, differences, moved)
    }
    let parts = 0n
    const at = differences.map(more => (parts += more))
    return {
      recurring: at.map(roundParts),
      movements: moved.slice(1).map((each, index) => roundMovements(at[index]!, each)),
    }
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

/**
 * Adds what a wallet changes to the revenue at each moment, and to the movements between them. Changes of one millisecond are
 * one, whatever their order: a subscription that began and ended in it was never there.
 */
function addWallet(changes: PaidChange[], differences: bigint[], moved: Movements[]): void {
  changes.sort((a, b) => a.atMs - b.atMs)
  let value = 0n
  /** at the moment before the one that is looked at */
  let start = 0n
  /** the index of the first moment at which it has or had revenue */
  let had = Infinity
  for (const [nth, { atMs, index, parts }] of changes.entries()) {
    value += parts
    differences[index]! += parts
    const next = changes[nth + 1]
    if (next?.atMs === atMs) continue
    if (value !== 0n && had === Infinity) had = index
    if (next?.index === index) continue
    const movement = movementOf({ start, end: value, hadBefore: had < index })
    if (movement !== null) moved[index]![movement] += value - start
    start = value
  }
}

function keptIn<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const kept = map.get(key) ?? make()
  map.set(key, kept)
  return kept
}
