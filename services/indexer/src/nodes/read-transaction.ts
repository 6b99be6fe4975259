// One node's answer of `getTransaction`, resolved to the form that the decoder reads. What cannot be resolved is never
// read as "nothing there".
import { decodeTransaction, type ChainTransaction, type DecodedTransaction } from '@payment-tracking/chain'
import type { RawTransaction } from './answers.js'
import { UnreadableError } from './node-error.js'
import type { ListedTransaction } from './open-node.js'

/** A transaction with the program's events in it. */
export interface FetchedTransaction extends DecodedTransaction {
  transaction: ChainTransaction
}

/**
 * @param node the name of the node
 * @throws UnreadableError when the answer leaves out a part that may hold an event, or contradicts itself or the list
 */
export function readTransaction(
  node: string,
  listed: ListedTransaction,
  raw: RawTransaction,
  programId: string,
): FetchedTransaction {
  const { signature, slot, failed, isDisputed } = listed
  if ((raw.blockTime ?? null) === null)
    throw new UnreadableError('not-ready', `${node} does not know the time of ${signature}`, 'NO_TIME')
  const hasFailed = (raw.meta.err ?? null) !== null
  const isOther = raw.slot !== slot || hasFailed !== failed
  if (raw.transaction.signatures[0] !== signature || (isOther && !isDisputed))
    throw wrong(`${node} answers ${signature} otherwise than it was listed (slot ${slot})`)
  if (!raw.meta.logMessages)
    throw new UnreadableError('unfit', `${node} keeps no logs (transaction ${signature})`, 'NO_LOG')
  const transaction = toChainTransaction(node, listed, raw)
  const decoded = decodeTransaction(transaction, programId)
  if (decoded.gaps.some(({ reason }) => reason === 'NO_INNER_INSTRUCTIONS'))
    throw new UnreadableError(
      'unfit',
      `${node} keeps no inner instructions (transaction ${signature})`,
      'NO_INNER_INSTRUCTIONS',
    )
  return { transaction, ...decoded }
}

const wrong = (message: string) => new UnreadableError('wrong', message, 'UNREADABLE_ANSWER')

/** The static keys, then the loaded ones. @throws UnreadableError when keys of a lookup table are left out */
function joinKeys(node: string, signature: string, { meta, transaction }: RawTransaction): string[] {
  const { accountKeys, addressTableLookups } = transaction.message
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {}
  const count = (pick: 'writableIndexes' | 'readonlyIndexes') =>
    addressTableLookups?.reduce((sum, lookup) => sum + lookup[pick].length, 0)
  const isWhole =
    (count('writableIndexes') ?? writable.length) === writable.length &&
    (count('readonlyIndexes') ?? readonly.length) === readonly.length
  if (!isWhole) throw unknownKey(node, signature)
  return [...accountKeys, ...writable, ...readonly]
}

const unknownKey = (node: string, signature: string) =>
  new UnreadableError('unfit', `${node} leaves out keys of transaction ${signature}`, 'UNKNOWN_KEY')

function toChainTransaction(
  node: string,
  { signature, transactionIndex }: ListedTransaction,
  raw: RawTransaction,
): ChainTransaction {
  const { message } = raw.transaction
  const { meta } = raw
  const keys = joinKeys(node, signature, raw)
  const inner = new Map(meta.innerInstructions?.map(({ index, instructions }) => [index, instructions]))
  const fits = [...inner.keys()].every(index => index < message.instructions.length)
  if (!fits || inner.size !== (meta.innerInstructions?.length ?? 0))
    throw wrong(`${node} places inner instructions of ${signature} where no instruction is`)
  const describe = ({ programIdIndex, data, stackHeight }: (typeof message.instructions)[number]) => {
    const programId = keys[programIdIndex]
    if (programId === undefined) throw unknownKey(node, signature)
    return { programId, data, stackHeight: stackHeight ?? null }
  }
  return {
    signature,
    slot: raw.slot,
    transactionIndex: transactionIndex ?? raw.transactionIndex ?? null,
    blockTime: raw.blockTime!,
    failed: (meta.err ?? null) !== null,
    logMessages: meta.logMessages ?? null,
    hasInnerInstructions: (meta.innerInstructions ?? null) !== null,
    instructions: message.instructions.map((instruction, index) => ({
      instruction: describe(instruction),
      inner: (inner.get(index) ?? []).map(describe),
    })),
  }
}
