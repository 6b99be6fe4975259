// Reads a transaction from two nodes and compares the answers. So a node that lies, or lost a part of its history, is
// noticed. An answer without majority is not published; it becomes a gap.
import { decodeTransaction, type ChainTransaction, type DecodedTransaction } from '@payment-tracking/chain'
import { NodeError } from './node-error.js'
import type { NodePool } from './node-pool.js'
import type { ChainNode, ListedTransaction, NodeCommitment, RawTransaction } from './open-node.js'

/** A transaction with the program's events in it. */
export interface FetchedTransaction extends DecodedTransaction {
  transaction: ChainTransaction
}

export interface FetchOptions {
  commitment: NodeCommitment
  programId: string
  /** called for each node whose answer the other nodes contradict */
  onDisagreement: (node: string, signature: string) => void
  /** gives up after this time; without it, waits without limit */
  patienceMs?: number
}

/** The answer of one node: the transaction, or proof by its own block that the transaction is absent. */
type Verdict = FetchedTransaction | 'absent'

interface Answer {
  node: ChainNode
  answer: Verdict
}

/** How long a second node that is a little behind may take. */
const COMPARE_PATIENCE_MS = 2_000

/** Joins the static and loaded account keys, and replaces program numbers by names. */
function toChainTransaction(
  { signature, transactionIndex }: ListedTransaction,
  raw: RawTransaction,
  blockTime: number,
): ChainTransaction {
  const { message } = raw.transaction
  const meta = raw.meta!
  const keys = [
    ...message.accountKeys,
    ...(meta.loadedAddresses?.writable ?? []),
    ...(meta.loadedAddresses?.readonly ?? []),
  ]
  const inner = new Map(meta.innerInstructions?.map(({ index, instructions }) => [index, instructions]))
  const describe = ({ programIdIndex, data, stackHeight }: (typeof message.instructions)[number]) => ({
    programId: keys[programIdIndex] ?? '',
    data,
    stackHeight: stackHeight ?? null,
  })
  return {
    signature,
    slot: raw.slot,
    transactionIndex: transactionIndex ?? raw.transactionIndex ?? null,
    blockTime,
    failed: meta.err !== null,
    logMessages: meta.logMessages,
    hasInnerInstructions: meta.innerInstructions !== null,
    instructions: message.instructions.map((instruction, index) => ({
      instruction: describe(instruction),
      inner: (inner.get(index) ?? []).map(describe),
    })),
  }
}

/** Whether the node has the finalized block of the slot, without the transaction. */
async function provesAbsence(node: ChainNode, { signature, slot }: ListedTransaction): Promise<boolean> {
  try {
    const block = await node.block(slot, 'finalized')
    return block !== undefined && !block.signatures.includes(signature)
  } catch (error) {
    if (error instanceof NodeError && error.fault === 'behind') return false
    throw error
  }
}

async function askNode(
  node: ChainNode,
  listed: ListedTransaction,
  { commitment, programId }: FetchOptions,
  isAlone: boolean,
): Promise<Verdict> {
  const { signature, slot, failed, isDisputed } = listed
  const raw = await node.transaction(signature, commitment)
  const notReady = (what: string) => new NodeError('not-ready', `${node.name} ${what} of ${signature}`)
  if (raw === null || raw.meta === null) {
    if (!isAlone && commitment === 'finalized' && (await provesAbsence(node, listed))) return 'absent'
    throw notReady('does not hold the transaction')
  }
  if (raw.blockTime === null) throw notReady('does not know the time')
  const isOther = raw.slot !== slot || (raw.meta.err !== null) !== failed
  if (raw.transaction.signatures[0] !== signature || (isOther && !isDisputed)) {
    throw new NodeError(
      'wrong',
      `${node.name} answers ${signature} otherwise than it was listed (slot ${slot})`,
    )
  }
  if (raw.meta.logMessages === null || raw.meta.innerInstructions === null)
    throw new NodeError('unfit', `${node.name} keeps no logs (transaction ${signature})`)
  const transaction = toChainTransaction(listed, raw, raw.blockTime)
  return { transaction, ...decodeTransaction(transaction, programId) }
}

/** Equal when two nodes agree on all published parts. The place in the block is not compared: older nodes lack it. */
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

/** A transaction without any published part: the nodes contradict each other, and none has a majority. */
const disputed = ({ signature, slot, transactionIndex }: ListedTransaction): FetchedTransaction => ({
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
  gaps: [{ reason: 'NODES_DISAGREE', instructionIndex: null, innerIndex: null, bytes: new Uint8Array() }],
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
  if (answer === undefined || (answer === 'absent' && winner!.length < 2)) return disputed(listed)
  return answer === 'absent' ? undefined : answer
}

/**
 * Reads a transaction from two nodes, and from all nodes when the two differ or cut the log. Does not wait for a node
 * without answer while another node answers.
 * @returns undefined when most nodes prove that the chain does not hold the transaction
 * @throws NodeError when `patienceMs` have passed without an answer
 */
export async function fetchTransaction(
  pool: NodePool,
  listed: ListedTransaction,
  options: FetchOptions,
): Promise<FetchedTransaction | undefined> {
  const isAlone = pool.size === 1
  const question = (node: ChainNode) => askNode(node, listed, options, isAlone)
  const first = await pool.askOne(question, options.patienceMs)
  if (isAlone) return first.answer as FetchedTransaction
  const asked = new Set([first.node])
  const second = await pool.askOther(question, asked, COMPARE_PATIENCE_MS)
  if (!second) return decide([first], listed, options.onDisagreement)
  if (isWhole(first) && isWhole(second) && fingerprint(first.answer) === fingerprint(second.answer))
    return decide([first, second], listed, options.onDisagreement)
  asked.add(second.node)
  const others = await pool.askAll(question, { except: asked })
  return decide([first, second, ...others], listed, options.onDisagreement)
}
