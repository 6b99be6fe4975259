// Which transactions name the program between two slots. Lists are newest first and their ends cannot be trusted: a
// node that has lost its index answers an empty page. So slots are compared, never a page's length alone.
import { NodeError } from '../nodes/node-error.js'
import type { NodePool } from '../nodes/node-pool.js'
import type { ChainNode, ListedTransaction } from '../nodes/open-node.js'

export interface ListOptions {
  programId: string
  /** every node must have reached it; nothing above it is listed */
  toSlot: number
  /** the list must reach a transaction at or below it, or the program's first transaction */
  fromSlot: number
  /** the slot of the program's first transaction, when it is known */
  firstSlot: number | null
  /** a slot that a transaction of the program is known to be in: a list that ends above has lost a part */
  knownSlot: number | null
  /** told for each transaction that only some of the nodes listed */
  onDisagreement: (node: string, signature: string) => void
}

export interface ListedPage {
  /** oldest first, each once, with whole slots only */
  transactions: ListedTransaction[]
  /** the page was asked for before this signature; undefined for the newest */
  before: string | undefined
}

export interface ListedRange {
  /** the oldest page first; only the oldest holds its transactions, the others are listed again when they are due */
  pages: { before: string | undefined }[]
  oldest: ListedPage
  /** the program's first transaction's slot, when the list reached it */
  reachedFirst: number | null
}

interface Page extends ListedPage {
  /** the signature that the next older page is asked for with; undefined when the list ended */
  cursor: string | undefined
}

interface Lists {
  asked: ChainNode
  entries: ListedTransaction[]
  /** what a second node listed, when one answered */
  second: { node: ChainNode; answer: ListedTransaction[] } | undefined
}

/** Asks one node, and a second one for comparison. */
async function askForPage(pool: NodePool, options: ListOptions, before: string | undefined): Promise<Lists> {
  const { programId, toSlot } = options
  const question = async (node: ChainNode) => {
    const entries = await node.list(programId, 'finalized', toSlot, before)
    const known = new Map(entries.filter(({ slot }) => slot <= toSlot).map(entry => [entry.signature, entry]))
    return [...known.values()]
  }
  let asked!: ChainNode
  const entries = await pool.ask(node => {
    asked = node
    return question(node)
  })
  const [second] = await pool.askAll(question, { except: new Set([asked]), limit: 1 })
  if (entries.length > 0 || !second || second.answer.length === 0) return { asked, entries, second }
  // A node that lists nothing where another lists something has lost its index.
  return { asked: second.node, entries: second.answer, second: { node: asked, answer: [] } }
}

const lowestSlot = (entries: readonly ListedTransaction[]): number =>
  entries.reduce((lowest, { slot }) => Math.min(lowest, slot), Infinity)

/**
 * A page and what an older page is asked for with. The slot that the page may have cut in two is left to the older
 * page. Only an empty page ends the list: real nodes answer short ones in the middle.
 */
async function listPage(pool: NodePool, options: ListOptions, before: string | undefined): Promise<Page> {
  const { asked, entries, second } = await askForPage(pool, options, before)
  if (entries.length === 0) return { transactions: [], before, cursor: undefined }
  const cut = Math.max(
    lowestSlot(entries),
    second && second.answer.length > 0 ? lowestSlot(second.answer) : 0,
  )
  const whole = entries.filter(({ slot }) => slot > cut)
  const kept = whole.length > 0 ? whole : entries
  const above = whole.length > 0 ? cut : cut - 1
  const union = unite(asked, kept, second, above, options.onDisagreement)
  return { transactions: sortByPlace(union), before, cursor: kept.reduce(older).signature }
}

const older = (a: ListedTransaction, b: ListedTransaction): ListedTransaction => (b.slot <= a.slot ? b : a)

/** What either node listed above a slot; what only one of them listed is told. */
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

/** What two nodes say of one transaction. Where they differ, its contents decide, so it is read as if it succeeded. */
function join(mine: ListedTransaction, other: ListedTransaction): ListedTransaction {
  const transactionIndex = mine.transactionIndex ?? other.transactionIndex
  if (mine.slot === other.slot && mine.failed === other.failed) return { ...mine, transactionIndex }
  return { ...mine, transactionIndex, failed: false, isDisputed: true }
}

/** By slot and place in the block; without places, the list's order reversed. */
function sortByPlace(newestFirst: readonly ListedTransaction[]): ListedTransaction[] {
  const oldestFirst = newestFirst.toReversed()
  return oldestFirst.sort((a, b) => a.slot - b.slot || (a.transactionIndex ?? 0) - (b.transactionIndex ?? 0))
}

/**
 * Walks back from `toSlot` until the list reaches `fromSlot` or the program's first transaction.
 * @throws NodeError (wrong) when the list ends before: a node has lost a part of it
 */
export async function listRange(pool: NodePool, options: ListOptions): Promise<ListedRange> {
  const { fromSlot, firstSlot, knownSlot } = options
  const pages: { before: string | undefined }[] = []
  let lowest = Infinity
  for (let before: string | undefined; ;) {
    const page = await listPage(pool, options, before)
    pages.unshift({ before })
    lowest = Math.min(lowest, page.transactions[0]?.slot ?? Infinity)
    if (lowest <= fromSlot) return { pages, oldest: page, reachedFirst: null }
    if (page.cursor !== undefined) {
      before = page.cursor
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
 * A list that ends may have lost its older part. The end is believed when the node keeps every block that could
 * hold an older transaction, and no other node lists one.
 */
async function proveEnd(
  pool: NodePool,
  { programId, toSlot, fromSlot }: ListOptions,
  page: Page,
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
 * The transactions of a page that was left for later, listed again: all of them, the slot that the page cuts included,
 * because the nodes that answer may be others than before.
 */
export async function listAgain(
  pool: NodePool,
  options: ListOptions,
  before: string | undefined,
): Promise<ListedTransaction[]> {
  const { asked, entries, second } = await askForPage(pool, options, before)
  const above = second ? Math.max(lowestSlot(entries), lowestSlot(second.answer)) - 1 : Infinity
  return sortByPlace(unite(asked, entries, second, above, options.onDisagreement))
}
