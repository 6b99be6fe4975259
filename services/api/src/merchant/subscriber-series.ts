// Wallets that came and left between past moments. A steady subscription has not changed since its creation, so its wallet is
// remembered once with that time, and not in a set for each moment.
import type { ActiveSubscription, LivingSubscription } from '@payment-tracking/store'

export interface SubscriberPoint {
  /** wallets with an active subscription at the end */
  active: number
  came: number
  left: number
}

type Payer = Pick<ActiveSubscription, 'wallet'>

const walletsOf = (active: readonly Payer[] = []): ReadonlySet<string> =>
  new Set(active.map(({ wallet }) => wallet).filter(wallet => wallet !== null))

/**
 * @param moments ascending, Unix seconds: the beginning of the first bucket, then the end of each
 * @param snapshots for each moment, the active subscriptions that are not steady
 * @returns one point for each bucket
 */
export function subscriberSeries(
  moments: readonly number[],
  living: readonly Pick<LivingSubscription, 'isSteady' | 'createdAt' | 'wallet'>[],
  snapshots: readonly (readonly Payer[])[],
): SubscriberPoint[] {
  /** the creation of each wallet's first steady subscription */
  const steadySince = new Map<string, number>()
  for (const { isSteady, wallet, createdAt } of living) {
    if (!isSteady || wallet === null) continue
    steadySince.set(wallet, Math.min(Number(createdAt), steadySince.get(wallet) ?? Infinity))
  }
  const isSteadyAt = (wallet: string, moment: number) => (steadySince.get(wallet) ?? Infinity) < moment
  const begins = [...steadySince].sort(([, a], [, b]) => a - b)
  const sets = moments.map((_, index) => walletsOf(snapshots[index]))
  let steady = 0
  /** Steady wallets from this moment on that were not there before the last moment. */
  const takeBegun = (moment: number): string[] => {
    const first = steady
    while (steady < begins.length && begins[steady]![1] < moment) steady++
    return begins.slice(first, steady).map(([wallet]) => wallet)
  }
  takeBegun(moments[0] ?? 0)
  return moments.slice(1).map((end, index) => {
    const start = moments[index]!
    const [before, after] = [sets[index]!, sets[index + 1]!]
    const wasThere = (wallet: string) => isSteadyAt(wallet, start) || before.has(wallet)
    const begun = takeBegun(end)
    const onlyInSnapshot = [...after].filter(wallet => !isSteadyAt(wallet, end))
    return {
      active: steady + onlyInSnapshot.length,
      came: [...begun, ...onlyInSnapshot].filter(wallet => !wasThere(wallet)).length,
      left: [...before].filter(wallet => !isSteadyAt(wallet, end) && !after.has(wallet)).length,
    }
  })
}
