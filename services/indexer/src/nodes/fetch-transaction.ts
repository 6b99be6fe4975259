import { decodeTransaction, type ChainTransaction, type DecodedTransaction } from '@payment-tracking/chain'
import { NodeError } from './node-error.js'
import type { NodePool } from './node-pool.js'
import type { ChainNode, ListedTransaction, NodeCommitment, RawTransaction } from './open-node.js'

/** A transaction with what the program emitted in it. */
export interface FetchedTransaction extends DecodedTransaction {
  transaction: ChainTransaction
}

/** Joins the account keys, static and loaded, and names programs instead of numbering them. */
function toChainTransaction(
  { signature, slot, transactionIndex }: ListedTransaction,
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
    slot,
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

async function askNode(
  node: ChainNode,
  listed: ListedTransaction,
  commitment: NodeCommitment,
  programId: string,
): Promise<FetchedTransaction> {
  const { signature, slot, failed } = listed
  const raw = await node.transaction(signature, commitment)
  const notReady = (what: string) => new NodeError('not-ready', `${node.name} ${what} of ${signature}`)
  if (raw === null || raw.meta === null) throw notReady('does not hold the transaction')
  if (raw.blockTime === null) throw notReady('does not know the time')
  if (
    raw.transaction.signatures[0] !== signature ||
    raw.slot !== slot ||
    (raw.meta.err !== null) !== failed
  ) {
    throw new NodeError(
      'wrong',
      `${node.name} answers ${signature} otherwise than it was listed (slot ${slot})`,
    )
  }
  const transaction = toChainTransaction(listed, raw, raw.blockTime)
  return { transaction, ...decodeTransaction(transaction, programId) }
}

/**
 * Reads a transaction, in turn from each node until one kept its log whole. Where every node cut the log, what could
 * be read comes with its gaps; a node that keeps no logs at all says nothing about the transaction.
 */
export async function fetchTransaction(
  pool: NodePool,
  listed: ListedTransaction,
  commitment: NodeCommitment,
  programId: string,
): Promise<FetchedTransaction> {
  return pool.ask(async node => {
    const fetched = await askNode(node, listed, commitment, programId)
    if (!fetched.nodeMayBeUnfit) return fetched
    const keepsNothing = fetched.transaction.logMessages === null || !fetched.transaction.hasInnerInstructions
    if (!keepsNothing) {
      const others = await pool.askAll(other => askNode(other, listed, commitment, programId), {
        except: new Set([node]),
      })
      const whole = others.find(({ answer }) => !answer.nodeMayBeUnfit)
      if (whole) return whole.answer
      return fetched
    }
    throw new NodeError('unfit', `${node.name} keeps no logs (transaction ${listed.signature})`)
  })
}
