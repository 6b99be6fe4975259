// Monthly recurring revenue of each token at past moments. A steady subscription has not changed since its creation. It is
// added once, at the first moment after its creation, and counts at all later moments. Adding every subscription at every
// moment would be slow: 1,000 subscriptions over 30 days are 30,000 additions of fractions.
import { perMonth, roundedSum, type Frequency } from '@payment-tracking/domain'
import type { ActiveSubscription, LivingSubscription } from '@payment-tracking/store'

/** Subscriptions with the same frequency pay the same share of their amounts in a month. */
interface Rate {
  frequency: Frequency
  /** by moment: amounts of the subscriptions that are active from then on */
  added: Map<number, bigint>
}

const rateKey = ({ name, seconds }: Frequency): string => `${name} ${seconds ?? ''}`

/**
 * @param moments ascending, Unix seconds
 * @param snapshots for each moment, the active subscriptions that are not steady
 * @returns for each moment, the revenue of each token, by the token's key
 */
export function recurringSeries(
  moments: readonly number[],
  living: readonly LivingSubscription[],
  snapshots: readonly ActiveSubscription[][],
  keyOf: (mint: string | null) => string,
): ReadonlyMap<string, bigint>[] {
  const tokens = new Map<string, Map<string, Rate>>()
  for (const { isSteady, createdAt, tokenMint, terms } of living) {
    if (!isSteady) continue
    const since = moments.findIndex(moment => createdAt < moment)
    if (since === -1) continue
    const mint = keyOf(tokenMint)
    const rates = tokens.get(mint) ?? new Map<string, Rate>()
    tokens.set(mint, rates)
    const key = rateKey(terms.frequency)
    const rate = rates.get(key) ?? { frequency: terms.frequency, added: new Map<number, bigint>() }
    rates.set(key, rate)
    rate.added.set(since, (rate.added.get(since) ?? 0n) + terms.amount)
  }
  const steady = [...tokens].flatMap(([mint, rates]) =>
    [...rates.values()].map(({ frequency, added }) => ({ mint, frequency, added, amount: 0n })),
  )
  return moments.map((_moment, index) => {
    const fractions = new Map<string, { amount: bigint; frequency: Frequency }[]>()
    const add = (mint: string, active: { amount: bigint; frequency: Frequency }) => {
      const all = fractions.get(mint)
      if (all) all.push(active)
      else fractions.set(mint, [active])
    }
    for (const rate of steady) {
      rate.amount += rate.added.get(index) ?? 0n
      add(rate.mint, { amount: rate.amount, frequency: rate.frequency })
    }
    for (const active of snapshots[index] ?? []) add(keyOf(active.tokenMint), active)
    return new Map([...fractions].map(([mint, all]) => [mint, monthly(all)]))
  })
}

/** Exact, and rounded once. A frequency that has no month adds nothing. */
export const monthly = (subscriptions: readonly { amount: bigint; frequency: Frequency }[]): bigint =>
  roundedSum(subscriptions.map(each => perMonth(each.amount, each.frequency)).filter(each => each !== null))
