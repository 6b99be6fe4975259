import { decodeBase58 } from './base58.js'
import type { ChainTransaction } from './chain-transaction.js'
import { readEventBytes, type EventData } from './event-codec.js'
import { checkEmitted } from './instruction-events.js'
import { pairFrames, indexInstructions, type IndexedInstruction } from './pair-frames.js'
import { readFrames, type DataLine, type ReadLog } from './read-frames.js'

/** An event that the program itself logged, with its location. */
export interface DecodedEvent {
  name: string
  data: EventData
  /** the ordinal among all data lines of the program in its transaction, including unreadable lines */
  index: number
  instructionIndex: number
  innerIndex: number | null
}

/**
 * Why a part was unreadable. LOG_TRUNCATED, LOG_MALFORMED and NO_LOG are faults of a node: another node may know more.
 * NODES_DISAGREE, NO_TRANSACTION, NO_TIME, NO_BLOCK, UNKNOWN_KEY and UNREADABLE_ANSWER are for callers that ask nodes. All other
 * reasons belong to the transaction and are equal at every node.
 */
export type GapReason =
  | 'LOG_TRUNCATED'
  | 'LOG_MALFORMED'
  | 'NO_LOG'
  | 'NO_INNER_INSTRUCTIONS'
  | 'NOT_ONE_SLICE'
  | 'EMPTY'
  | 'UNKNOWN_EVENT'
  | 'UNKNOWN_LAYOUT'
  | 'EVENT_MISSING'
  | 'EVENT_UNEXPECTED'
  | 'UNKNOWN_INSTRUCTION'
  | 'NODES_DISAGREE'
  | 'NO_TRANSACTION'
  | 'NO_TIME'
  | 'NO_BLOCK'
  | 'UNKNOWN_KEY'
  | 'UNREADABLE_ANSWER'

/** An unreadable part of the program's log, or an event that its instruction should have emitted and did not. */
export interface DecodedGap {
  reason: GapReason
  /** the ordinal of an unreadable data line, like an event's ordinal */
  index?: number
  instructionIndex: number | null
  innerIndex: number | null
  /** a readable name: the instruction, or the event whose layout did not fit */
  about?: string
  /** the logged bytes, or the instruction's data if nothing was logged */
  bytes: Uint8Array
}

export interface DecodedTransaction {
  events: DecodedEvent[]
  gaps: DecodedGap[]
  /** whether another node may read more of the transaction */
  nodeMayBeUnfit: boolean
}

const NOTHING: DecodedTransaction = { events: [], gaps: [], nodeMayBeUnfit: false }

/** Another node may have kept the log whole. */
const OF_THE_NODE: ReadonlySet<GapReason> = new Set([
  'LOG_TRUNCATED',
  'LOG_MALFORMED',
  'NO_LOG',
  'NO_INNER_INSTRUCTIONS',
])

/**
 * Reads the events that `programId` emitted in a transaction. An event counts only if the program itself was on top of
 * the stack, at any depth, in a successful transaction. The stack is checked against the instructions.
 */
export function decodeTransaction(transaction: ChainTransaction, programId: string): DecodedTransaction {
  if (transaction.failed) return NOTHING
  const indexed = indexInstructions(transaction)
  const log = readFrames(transaction.logMessages ?? [])
  const events: DecodedEvent[] = []
  const gaps = findLeftOut(transaction, indexed, log, programId)
  if (!indexed.some(({ instruction }) => instruction.programId === programId))
    return gaps.length === 0 ? NOTHING : { events, gaps, nodeMayBeUnfit: true }
  const paired = pairFrames(indexed, log)
  const instructionOfFrame = new Map<number, number>()
  paired.frameOf.forEach((frame, at) => frame !== undefined && instructionOfFrame.set(frame, at))

  const namesOf = new Map<number, string[]>()
  const unreadOf = new Map<number, number>()
  let index = 0
  for (const { frame, line } of log.data) {
    const at = instructionOfFrame.get(frame)
    if (at === undefined || log.frames[frame]!.programId !== programId) continue
    const { instructionIndex, innerIndex } = indexed[at]!
    const location = { index: index++, instructionIndex, innerIndex }
    const read = readDataLine(line)
    if ('data' in read) {
      events.push({ name: read.name, data: read.data, ...location })
      namesOf.set(at, [...(namesOf.get(at) ?? []), read.name])
    } else {
      gaps.push({ ...location, ...read })
      unreadOf.set(at, (unreadOf.get(at) ?? 0) + 1)
    }
  }

  const broken =
    transaction.logMessages === null
      ? 'NO_LOG'
      : paired.brokenBy === 'truncated'
        ? 'LOG_TRUNCATED'
        : 'LOG_MALFORMED'
  indexed.forEach(({ instruction, instructionIndex, innerIndex }, at) => {
    if (instruction.programId !== programId) return
    const bytes = decodeBase58(instruction.data)
    const location = { instructionIndex, innerIndex, bytes }
    const frame = paired.frameOf[at]
    const emitted = checkEmitted(bytes, namesOf.get(at) ?? [], unreadOf.get(at) ?? 0, transaction.blockTime)
    const about = emitted.instruction
    if (frame === undefined || !log.frames[frame]!.complete)
      return gaps.push({ reason: broken, about, ...location })
    if (emitted.completeness === 'missing') gaps.push({ reason: 'EVENT_MISSING', about, ...location })
    if (emitted.completeness === 'unexpected') gaps.push({ reason: 'EVENT_UNEXPECTED', about, ...location })
    if (emitted.completeness === 'unknown-instruction')
      gaps.push({ reason: 'UNKNOWN_INSTRUCTION', about, ...location })
    return undefined
  })
  return { events, gaps, nodeMayBeUnfit: gaps.some(({ reason }) => OF_THE_NODE.has(reason)) }
}

/** Finds calls of the program that the log shows, or may show, and that the instructions lack. */
function findLeftOut(
  { logMessages, hasInnerInstructions }: ChainTransaction,
  indexed: readonly IndexedInstruction[],
  log: ReadLog,
  programId: string,
): DecodedGap[] {
  const gap = (reason: GapReason): DecodedGap[] => [
    { reason, instructionIndex: null, innerIndex: null, bytes: new Uint8Array() },
  ]
  // Calls by other programs are inner instructions. Only a whole log without such calls shows that there were none.
  const isFlat = logMessages !== null && !log.brokenBy && log.frames.every(({ height }) => height === 1)
  if (!hasInnerInstructions && !isFlat) return gap('NO_INNER_INSTRUCTIONS')
  const called = indexed.filter(({ instruction }) => instruction.programId === programId).length
  const shown = log.frames.filter(frame => frame.programId === programId).length
  return shown > called ? gap('LOG_MALFORMED') : []
}

type ReadLine = { name: string; data: EventData } | { reason: GapReason; about?: string; bytes: Uint8Array }

/** `emit!` logs one slice. A line with more slices, or with none, is no known event of the program. */
function readDataLine({ payload }: DataLine): ReadLine {
  const bytes = Buffer.from(payload, 'base64')
  if (payload.includes(' ')) {
    const slices = payload.split(' ').map(slice => Buffer.from(slice, 'base64'))
    return { reason: 'NOT_ONE_SLICE', bytes: Buffer.concat(slices) }
  }
  if (bytes.toString('base64') !== payload) return { reason: 'EMPTY', bytes: Buffer.from(payload) }
  const read = readEventBytes(bytes)
  if ('data' in read) return read
  return { reason: read.unreadable, bytes, ...(read.name !== undefined && { about: read.name }) }
}
