// Makes one answer of what several nodes say of the same accounts.

/** One node's answer to some questions. */
export interface NodeAnswer<Said> {
  /** of the answer's context */
  slot: number
  said: readonly Said[]
}

export interface Agreed<Said> {
  /** up to which every node that was asked says so */
  slot: number
  nodes: number
  said: Said
}

/** A node with a greater lag says nothing of now: about a minute. */
const MOST_LAG_SLOTS = 150

const textOf = (said: unknown): string =>
  JSON.stringify(said, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))

/**
 * Leaves out nodes that are far behind. The others must say the same.
 * @param count of the questions
 * @param highestSlot the highest final slot that this process knows. All nodes together may be behind it
 * @returns one entry for each question; undefined where the nodes disagree, or where every node is far behind
 */
export function agree<Said>(
  answers: readonly NodeAnswer<Said>[],
  count: number,
  highestSlot: number,
): (Agreed<Said> | undefined)[] {
  const highest = Math.max(highestSlot, ...answers.map(({ slot }) => slot))
  const fresh = answers.filter(({ slot }) => slot >= highest - MOST_LAG_SLOTS)
  const slot = Math.min(...fresh.map(each => each.slot))
  return Array.from({ length: count }, (_, at) => {
    const texts = new Set(fresh.map(({ said }) => textOf(said[at])))
    return texts.size === 1 ? { slot, nodes: fresh.length, said: fresh[0]!.said[at]! } : undefined
  })
}
