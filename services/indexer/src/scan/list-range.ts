// Lists the program's transactions between two slots. Lists are newest first, and their ends prove nothing: a node
// without its index answers an empty page. So the code compares slots, and never trusts a page's length alone.
import { NodeError } from '../nodes/node-error.js'
import type { NodePool } from '../nodes/node-pool.js'
import type { ChainNode, ListedTransaction } from '../nodes/open-node.js'

export interface ListOptions {
  programId: string
  /** every node must have reached this slot; the list ends at it */
  toSlot: number
  /** the list must reach a transaction at or below this slot, or the program's first transaction */
  fromSlot: number
  /** the slot of the program's first transaction, if known */
  firstSlot: number | null
  /** a slot with a known transaction of the program: a list that ends above this slot is incomplete */
  knownSlot: number | null
  /** called for each transaction that only some nodes listed */
  onDisagreement: (node: string, signature: string) => void
  /** called for each page on the way back to `fromSlot` */
  onListed?: (transactions: number, lowestSlot: number) => void
}

/** Where a page lies in the list. */
export interface PageBounds {
  /** the page was requested with this signature; undefined for the newest page */
  before: string | undefined
  /** its oldest transaction, after which the next older page begins; undefined after the end of the list */
  oldest: ListedTransaction | undefined
}

export interface ListedPage extends PageBounds {
  /** oldest first, each once, with whole slots only */
  transactions: ListedTransaction[]
}

export interface ListedRange {
  /** the oldest page first; only the oldest holds its transactions, the other pages are listed again later */
  pages: PageBounds[]
  oldest: ListedPage
  /** the slot of the program's first transaction, if the list reached it */
  reachedFirst: number | null
}

interface Lists {
  asked: ChainNode
  entries: ListedTransaction[]
  /** the list of a second node, if it answered */
  second: { node: ChainNode; answer: ListedTransaction[] } | undefined
}

/** Requests a page from one node, and from a second node for comparison. */
async function askForPage(pool: NodePool, options: ListOptions, before: string | undefined): Promise<Lists> {
  const { programId, toSlot } = options
  const question = async (node: ChainNode) => {
    for (let from = before; ;) {
      const entries = await node.list(programId, 'finalized', toSlot, from)
      const inRange = entries.filter(({ slot }) => slot <= toSlot)
      // The chain moves on while a long range is read: the newest page may hold nothing of the range any more.
      if (inRange.length > 0 || entries.length === 0)
        return [...new Map(inRange.map(entry => [entry.signature, entry])).values()]
      from = entries.reduce(older).signature
    }
  }
  let asked!: ChainNode
  const entries = await pool.ask(node => {
    asked = node
    return question(node)
  })
  const [second] = await pool.askAll(question, { except: new Set([asked]), limit: 1 })
  if (entries.length > 0 || !second || second.answer.length === 0) return { asked, entries, second }
  // A node with an empty list has lost its index if another node lists transactions.
  return { asked: second.node, entries: second.answer, second: { node: asked, answer: [] } }
}

const lowestSlot = (entries: readonly ListedTransaction[]): number =>
  entries.reduce((lowest, { slot }) => Math.min(lowest, slot), Infinity)

/**
 * A page, and the signature for the next older page. The page may cut its last slot in two, so the older page gets that
 * slot. Only an empty page ends the list: real nodes return short pages in the middle.
 */
async function listPage(
  pool: NodePool,
  options: ListOptions,
  before: string | undefined,
): Promise<ListedPage> {
  const { asked, entries, second } = await askForPage(pool, options, before)
  if (entries.length === 0) return { transactions: [], before, oldest: undefined }
  const cut = Math.max(
    lowestSlot(entries),
    second && second.answer.length > 0 ? lowestSlot(second.answer) : 0,
  )
  const whole = entries.filter(({ slot }) => slot > cut)
  const kept = whole.length > 0 ? whole : entries
  const above = whole.length > 0 ? cut : cut - 1
  const union = unite(asked, kept, second, above, options.onDisagreement)
  return { transactions: sortByIndex(union), before, oldest: kept.reduce(older) }
}

const older = (a: ListedTransaction, b: ListedTransaction): ListedTransaction => (b.slot <= a.slot ? b : a)

/** Unites the lists of two nodes above a slot, and reports transactions that only one node listed. */
function unite(
  asked: ChainNode,
  entries: readonly ListedTransaction[],
  second: Lists['second'],
  aboveSlot: number,
  onDisagreement: ListOptions['onDisagreement'],
): ListedTransaction[] {
  const known = new Map(entries.map(entry => [entry.signature, entry]))
  if (!second) return entries.slice()
  const others = second.answer.filter(({ slot }) => slot > aboveSlot)
  const listed = new Set(others.map(({ signature }) => signature))
  for (const { signature, slot } of entries)
    if (slot > aboveSlot && !listed.has(signature)) onDisagreement(second.node.name, signature)
  for (const entry of others) {
    const mine = known.get(entry.signature)
    if (!mine || mine.slot !== entry.slot || mine.failed !== entry.failed)
      onDisagreement(asked.name, entry.signature)
    known.set(entry.signature, mine ? join(mine, entry) : entry)
  }
  return [...known.values()].sort((a, b) => b.slot - a.slot)
}

/**
 * Joins the entries of two nodes for one transaction. Where they differ, the transaction's contents decide, so it is
 * read as if it had succeeded.
 */
function join(mine: ListedTransaction, other: ListedTransaction): ListedTransaction {
  const transactionIndex = mine.transactionIndex ?? other.transactionIndex
  if (mine.slot === other.slot && mine.failed === other.failed) return { ...mine, transactionIndex }
  return { ...mine, transactionIndex, failed: false, isDisputed: true }
}

/** By slot and index in the block; without indexes, the list's order reversed. */
function sortByIndex(newestFirst: readonly ListedTransaction[]): ListedTransaction[] {
  const oldestFirst = newestFirst.toReversed()
  return oldestFirst.sort((a, b) => a.slot - b.slot || (a.transactionIndex ?? 0) - (b.transactionIndex ?? 0))
}

/**
 * Lists backwards from `toSlot` until the list reaches `fromSlot` or the program's first transaction.
 * @throws NodeError (wrong) when the list ends earlier: a node has lost a part of it
 */
export async function listRange(pool: NodePool, options: ListOptions): Promise<ListedRange> {
  const { fromSlot, firstSlot, knownSlot } = options
  const pages: PageBounds[] = []
  let lowest = Infinity
  for (let before: string | undefined; ;) {
    const page = await listPage(pool, options, before)
    pages.unshift({ before, oldest: page.oldest })
    options.onListed?.(page.transactions.length, page.transactions[0]?.slot ?? fromSlot)
    lowest = Math.min(lowest, page.transactions[0]?.slot ?? Infinity)
    if (lowest <= fromSlot) return { pages, oldest: page, reachedFirst: null }
    if (page.oldest !== undefined) {
      before = page.oldest.signature
      continue
    }
    if (firstSlot !== null && lowest <= firstSlot) return { pages, oldest: page, reachedFirst: firstSlot }
    if (knownSlot !== null && lowest > knownSlot)
      throw new NodeError(
        'wrong',
        `a node ended its list of transactions above slot ${knownSlot}, a known one`,
      )
    await proveEnd(pool, options, page)
    return { pages, oldest: page, reachedFirst: Number.isFinite(lowest) ? lowest : null }
  }
}

/**
 * A list that ends may have lost its older part. The end counts when the node keeps every block that could hold an
 * older transaction, and no other node lists an older transaction.
 */
async function proveEnd(
  pool: NodePool,
  { programId, toSlot, fromSlot }: ListOptions,
  page: ListedPage,
): Promise<void> {
  const oldest = page.transactions[0]?.signature ?? page.before
  const answers = await pool.askAll(async node => ({
    available: await node.firstAvailableBlock(),
    older: oldest === undefined ? [] : await node.list(programId, 'finalized', toSlot, oldest),
  }))
  if (answers.length === 0) throw new NodeError('down', 'no node could say where the program begins')
  if (answers.some(({ answer }) => answer.older.length > 0))
    throw new NodeError('wrong', 'a node ended its list of transactions too early')
  const available = Math.min(...answers.map(({ answer }) => answer.available))
  if (available > Math.max(1, fromSlot)) {
    throw new NodeError(
      'unfit',
      `no node keeps blocks before slot ${available}: name an archive node in SOLANA_RPC_URLS, ` +
        `or begin later with INDEXER_START_SLOT=${available}`,
    )
  }
}

/**
 * Lists a postponed page again, down to its oldest transaction: what the chain added meanwhile moves the newest page, and
 * other nodes may answer this time, or answer less.
 */
export async function listAgain(
  pool: NodePool,
  options: ListOptions,
  { before, oldest }: PageBounds,
): Promise<ListedTransaction[]> {
  const found = new Map<string, ListedTransaction>()
  for (let from = before; ;) {
    const { asked, entries, second } = await askForPage(pool, options, from)
    const lowest = lowestSlot(entries)
    const above = second ? Math.max(lowest, lowestSlot(second.answer)) - 1 : Infinity
    for (const entry of unite(asked, entries, second, above, options.onDisagreement))
      found.set(entry.signature, entry)
    if (entries.length === 0 || !oldest || lowest < oldest.slot) return sortByIndex([...found.values()])
    const whole = entries.filter(({ slot }) => slot > lowest)
    from = (whole.length > 0 ? whole : entries).reduce(older).signature
  }
}
