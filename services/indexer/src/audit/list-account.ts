// Lists the transactions with one account in parts. Anybody can name any account in a transaction, so a list can be of any
// length.
import type { ChainNode, ListedTransaction } from '../nodes/open-node.js'

/** What is looked for: all transactions with an account between two slots, both included. */
interface AccountSpan {
  account: string
  fromSlot: number
  toSlot: number
  /** the transaction after which the next part begins; undefined for the newest part */
  listedTo?: string
}

interface AccountPart {
  /** newest first, without failed ones */
  found: ListedTransaction[]
  /** the last listed transaction where the list goes on; undefined at its end */
  last: ListedTransaction | undefined
  pages: number
}

/** Pages of one part. Transactions after the span are listed and passed: 100 pages take some ten seconds. */
const MOST_PAGES = 100

/** One part, as one node lists it. @param most how many transactions it holds, but for one page more */
export async function listAccount(
  node: ChainNode,
  { account, fromSlot, toSlot, listedTo }: AccountSpan,
  most: number,
): Promise<AccountPart> {
  const found: ListedTransaction[] = []
  let last: ListedTransaction | undefined
  let pages = 0
  while (pages < MOST_PAGES && found.length < most) {
    const page = await node.list(account, 'finalized', toSlot, last?.signature ?? listedTo)
    pages += 1
    found.push(...page.filter(({ slot, failed }) => !failed && slot >= fromSlot && slot <= toSlot))
    last = page.at(-1)
    if (!last || last.slot < fromSlot) return { found, last: undefined, pages }
  }
  return { found, last, pages }
}

/**
 * The parts of several nodes as one, oldest first. Each node can lack transactions: the next part begins where the first
 * of them stopped.
 */
export function joinParts(parts: readonly AccountPart[]): AccountPart {
  const lasts = parts.flatMap(({ last }) => last ?? []).sort((a, b) => b.slot - a.slot)
  const found = new Map(parts.flatMap(part => part.found.map(entry => [entry.signature, entry] as const)))
  const pages = Math.max(0, ...parts.map(part => part.pages))
  return { found: [...found.values()].sort((a, b) => a.slot - b.slot), last: lasts[0], pages }
}
