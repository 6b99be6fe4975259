import { NodeError } from '../nodes/node-error.js'
import type { NodePool } from '../nodes/node-pool.js'
import type { ListedTransaction } from '../nodes/open-node.js'

/**
 * The index in the block orders transactions of one slot. Where lists lack the index, the block has it. Where no node
 * returns the block, the order is that of the signatures, so that nothing waits for ever.
 * @param onUnordered called for each slot without a known order
 */
export async function withIndexes(
  pool: NodePool,
  listed: readonly ListedTransaction[],
  onUnordered: (slot: number, reason: string) => void,
): Promise<readonly ListedTransaction[]> {
  const counts = new Map<number, number>()
  for (const { slot } of listed) counts.set(slot, (counts.get(slot) ?? 0) + 1)
  const unknown = new Set(
    listed
      .filter(each => each.transactionIndex === null && counts.get(each.slot)! > 1)
      .map(({ slot }) => slot),
  )
  if (unknown.size === 0) return listed
  const indexes = new Map<string, number>()
  for (const slot of unknown) {
    try {
      const { signatures } = await askForBlock(pool, slot)
      signatures.forEach((signature, index) => indexes.set(signature, index))
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      onUnordered(slot, error.message)
    }
  }
  return listed
    .map(each => ({
      ...each,
      transactionIndex: each.transactionIndex ?? indexes.get(each.signature) ?? null,
    }))
    .sort(byIndex)
}

const askForBlock = (pool: NodePool, slot: number) =>
  pool.ask(
    async node => {
      const found = await node.block(slot, 'finalized')
      if (!found) throw new NodeError('not-ready', `${node.name} does not hold block ${slot}`)
      return found
    },
    { bound: { what: `block ${slot}, for the order of its transactions` } },
  )

const byIndex = (a: ListedTransaction, b: ListedTransaction): number =>
  a.slot - b.slot ||
  (a.transactionIndex ?? 0) - (b.transactionIndex ?? 0) ||
  (a.transactionIndex === null && a.signature < b.signature ? -1 : 1)
