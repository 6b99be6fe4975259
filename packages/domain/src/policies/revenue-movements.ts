// How monthly recurring revenue comes from one figure to the next, by wallet.
import { cutParts, roundParts } from './recurring-revenue.js'

export const MOVEMENTS = ['new', 'expansion', 'contraction', 'churned', 'reactivated'] as const
export type Movement = (typeof MOVEMENTS)[number]
export type Movements = Record<Movement, bigint>

/** A wallet's revenue of a month in parts (`monthlyParts`) at both ends of a bucket. */
export interface WalletChange {
  start: bigint
  end: bigint
  /** it had some at any moment before the start */
  hadBefore: boolean
}

/** Which movement the difference of a wallet's revenue is; null where there is none. */
export function movementOf({ start, end, hadBefore }: WalletChange): Movement | null {
  if (start === end) return null
  if (start === 0n) return hadBefore ? 'reactivated' : 'new'
  if (end === 0n) return 'churned'
  return end > start ? 'expansion' : 'contraction'
}

export const noMovements = (): Movements => ({
  new: 0n,
  expansion: 0n,
  contraction: 0n,
  churned: 0n,
  reactivated: 0n,
})

/**
 * Movements in whole units, what is lost below zero. They add up to the difference of the rounded figures at both ends: each is
 * cut, and what is missing goes to those that lost most. So a movement of nobody stays 0, and none changes its sign.
 * @param start in parts
 * @param moved in parts
 */
export function roundMovements(start: bigint, moved: Movements): Movements {
  const all = MOVEMENTS.map(name => ({ name, ...cutParts(moved[name]) }))
  const end = MOVEMENTS.reduce((sum, name) => sum + moved[name], start)
  let missing = roundParts(end) - roundParts(start) - all.reduce((sum, { whole }) => sum + whole, 0n)
  const rounded = noMovements()
  for (const { name, whole, rest } of all.sort((a, b) => (a.rest < b.rest ? 1 : a.rest > b.rest ? -1 : 0))) {
    const more = rest > 0n && missing > 0n ? 1n : 0n
    rounded[name] = whole + more
    missing -= more
  }
  return rounded
}
