import { NodeError } from '../nodes/node-error.js'
import type { NodePool } from '../nodes/node-pool.js'
import type { ListedTransaction } from '../nodes/open-node.js'

/** The place in the block orders transactions of one slot. Where lists lack the place, the block has it. */
export async function withPlaces(
  pool: NodePool,
  listed: readonly ListedTransaction[],
): Promise<readonly ListedTransaction[]> {
  const counts = new Map<number, number>()
  for (const { slot } of listed) counts.set(slot, (counts.get(slot) ?? 0) + 1)
  const unknown = new Set(
    listed
      .filter(each => each.transactionIndex === null && counts.get(each.slot)! > 1)
      .map(({ slot }) => slot),
  )
  if (unknown.size === 0) return listed
  const places = new Map<string, number>()
  for (const slot of unknown) {
    const block = await pool.ask(async node => {
      const found = await node.block(slot, 'finalized')
      if (!found) throw new NodeError('not-ready', `${node.name} does not hold block ${slot}`)
      return found
    })
    block.signatures.forEach((signature, place) => places.set(signature, place))
  }
  return listed
    .map(each => ({
      ...each,
      transactionIndex: each.transactionIndex ?? places.get(each.signature) ?? null,
    }))
    .sort((a, b) => a.slot - b.slot || (a.transactionIndex ?? 0) - (b.transactionIndex ?? 0))
}
