// Reads a transaction from two nodes and compares the answers. So a node that lies, or lost a part of its history, is
// noticed. An answer without majority is not published; it becomes a gap.
import type { GapReason } from '@payment-tracking/chain'
import { NodeError, UnreadableError } from './node-error.js'
import type { NodePool } from './node-pool.js'
import type { ChainNode, ListedTransaction, NodeCommitment } from './open-node.js'
import { readTransaction, type FetchedTransaction } from './read-transaction.js'

export type { FetchedTransaction }

export interface FetchOptions {
  commitment: NodeCommitment
  programId: string
  /** called for each node whose answer the other nodes contradict */
  onDisagreement: (node: string, signature: string) => void
  /** fails after this time, also while no node answers; for a caller that has another way */
  patienceMs?: number
  /** without `patienceMs`: nodes may answer without use for this long; default: the pool's patience */
  boundMs?: number
}

/** The answer of one node: the transaction, or proof by its own block that the transaction is absent. */
type Verdict = FetchedTransaction | 'absent'

interface Answer {
  node: ChainNode
  answer: Verdict
}

/** How long a second node that is a little behind may take. */
const COMPARE_PATIENCE_MS = 2_000

/** Whether the node has the finalized block of the slot, without the transaction. */
async function provesAbsence(node: ChainNode, { signature, slot }: ListedTransaction): Promise<boolean> {
  try {
    const block = await node.block(slot, 'finalized')
    return block !== undefined && !block.signatures.includes(signature)
  } catch (error) {
    if (error instanceof NodeError && error.fault === 'not-ready') return false
    throw error
  }
}

async function askNode(
  node: ChainNode,
  listed: ListedTransaction,
  { commitment, programId }: FetchOptions,
  isAlone: boolean,
): Promise<Verdict> {
  const raw = await node.transaction(listed.signature, commitment)
  if (raw !== null) return readTransaction(node.name, listed, raw, programId)
  if (!isAlone && commitment === 'finalized' && (await provesAbsence(node, listed))) return 'absent'
  throw new UnreadableError(
    'not-ready',
    `${node.name} does not hold the transaction ${listed.signature}`,
    'NO_TRANSACTION',
  )
}

/** Equal when two nodes agree on all published parts. The index in the block is not compared: older nodes lack it. */
function fingerprint(verdict: Verdict): string {
  if (verdict === 'absent') return verdict
  const { transaction, events, gaps } = verdict
  return JSON.stringify([
    transaction.slot,
    transaction.blockTime,
    events.map(({ index, name, data }) => [index, name, data]),
    gaps.map(({ reason, index, bytes }) => [reason, index, Buffer.from(bytes).toString('base64')]),
  ])
}

const isWhole = ({ answer }: Answer): boolean => answer === 'absent' || !answer.nodeMayBeUnfit

/** A transaction without any published part. */
export const unread = (
  { signature, slot, transactionIndex }: Omit<ListedTransaction, 'failed'>,
  reason: GapReason,
): FetchedTransaction => ({
  transaction: {
    signature,
    slot,
    transactionIndex,
    blockTime: 0,
    failed: false,
    logMessages: null,
    hasInnerInstructions: false,
    instructions: [],
  },
  events: [],
  gaps: [{ reason, instructionIndex: null, innerIndex: null, bytes: new Uint8Array() }],
  nodeMayBeUnfit: true,
})

/** The answer of more than half of the nodes with a whole log. */
function decide(
  answers: readonly Answer[],
  listed: ListedTransaction,
  onDisagreement: FetchOptions['onDisagreement'],
): FetchedTransaction | undefined {
  const whole = answers.filter(isWhole)
  // Every node cut the log: publish the readable part with its gaps.
  if (whole.length === 0) return answers[0]!.answer as FetchedTransaction
  const groups = new Map<string, Answer[]>()
  for (const each of whole) {
    const key = fingerprint(each.answer)
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  const winner = [...groups.values()].find(group => group.length * 2 > whole.length)
  for (const group of groups.values())
    if (group !== winner) for (const { node } of group) onDisagreement(node.name, listed.signature)
  const answer = winner?.[0]!.answer
  // A single node cannot deny a transaction that another node has listed.
  if (answer === undefined || (answer === 'absent' && winner!.length < 2))
    return unread(listed, 'NODES_DISAGREE')
  return answer === 'absent' ? undefined : answer
}

/**
 * Reads a transaction from two nodes, and from all nodes when the two differ or cut the log. Does not wait for a node
 * without answer while another node answers.
 * @returns undefined when most nodes prove that the chain does not hold the transaction; a gap when the nodes answer and no
 *   answer can be read
 * @throws NodeError when `patienceMs` have passed without an answer
 */
export async function fetchTransaction(
  pool: NodePool,
  listed: ListedTransaction,
  options: FetchOptions,
): Promise<FetchedTransaction | undefined> {
  const { patienceMs, boundMs, onDisagreement } = options
  const isAlone = pool.size === 1
  const question = (node: ChainNode) => askNode(node, listed, options, isAlone)
  const what = `transaction ${listed.signature} of slot ${listed.slot}`
  const patience =
    patienceMs === undefined
      ? { bound: { what, ...(boundMs !== undefined && { patienceMs: boundMs }) } }
      : { patienceMs }
  let first: Answer
  try {
    first = await pool.askOne(question, patience)
  } catch (error) {
    if (!(error instanceof NodeError) || patienceMs !== undefined) throw error
    return unread(listed, error instanceof UnreadableError ? error.reason : 'UNREADABLE_ANSWER')
  }
  if (isAlone) return first.answer as FetchedTransaction
  const asked = new Set([first.node])
  const second = await pool.askOther(question, asked, COMPARE_PATIENCE_MS)
  if (!second) return decide([first], listed, onDisagreement)
  if (isWhole(first) && isWhole(second) && fingerprint(first.answer) === fingerprint(second.answer))
    return decide([first, second], listed, onDisagreement)
  asked.add(second.node)
  const others = await pool.askAll(question, { except: asked })
  return decide([first, second, ...others], listed, onDisagreement)
}
