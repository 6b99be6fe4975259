import type { ChainTransaction } from './chain-transaction.js'
import type { DecodedEvent, DecodedGap } from './decode-transaction.js'

export type Commitment = 'confirmed' | 'finalized'

/** One message of the stream. Its bytes depend only on the transaction and the commitment. */
export function buildEventMessage(
  { signature, slot, transactionIndex, blockTime }: ChainTransaction,
  event: DecodedEvent,
  programId: string,
  commitment: Commitment,
): string {
  return JSON.stringify({
    slot,
    signature,
    program_id: programId,
    index: event.index,
    ...(transactionIndex !== null && { transaction_index: transactionIndex }),
    instruction_index: event.instructionIndex,
    inner_index: event.innerIndex,
    commitment,
    event_name: event.name,
    data: event.data,
    timestamp: new Date(blockTime * 1_000).toISOString(),
  })
}

/** The most bytes in a gap: a transaction's log is shorter, and so is an instruction. */
const MAX_GAP_BYTES = 48 * 1024

/** The gap of one transaction, in the form of the contract. All unreadable parts of a transaction make one gap. */
export function buildGapMessage(
  { signature, slot }: Pick<ChainTransaction, 'signature' | 'slot'>,
  gaps: readonly DecodedGap[],
): string {
  const bytes = Buffer.concat(gaps.map(gap => gap.bytes)).subarray(0, MAX_GAP_BYTES)
  return JSON.stringify({
    signature,
    fromSlot: slot,
    toSlot: slot,
    reason: gaps.map(describeGap).join('; '),
    bytes: bytes.toString('base64'),
  })
}

function describeGap({ reason, index, instructionIndex, innerIndex, about }: DecodedGap): string {
  const location = [
    ...(index === undefined ? [] : [`index ${index}`]),
    ...(instructionIndex === null ? [] : [`instruction ${instructionIndex}`]),
    ...(innerIndex === null ? [] : [`inner ${innerIndex}`]),
  ]
  return `${reason}${about ? ` ${about}` : ''}${location.length > 0 ? ` (${location.join(', ')})` : ''}`
}
