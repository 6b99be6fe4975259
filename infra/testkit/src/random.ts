// Chance that follows from a seed, so that a run can be had again.

export interface Random {
  /** from 0 up to, but not, 1 */
  next(): number
  /** an integer, both ends included */
  between(from: number, to: number): number
  pick<T>(items: readonly T[]): T
  /** true in `share` of the cases */
  chance(share: number): boolean
}

/** The 32 bits of a text that a seed is given as (FNV-1a). */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value >>> 0
}

/** Numbers from 0 up to, but not, 1. Mulberry32 is small, and even enough for choosing what to break. */
export function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Streams of other names are independent. */
export function buildRandom(seed: string, name: string): Random {
  const next = mulberry32(hash(`${seed}/${name}`))
  return {
    next,
    between: (from, to) => from + Math.floor(next() * (to - from + 1)),
    pick: items => items[Math.floor(next() * items.length)]!,
    chance: share => next() < share,
  }
}
