import type { ChainInstruction, ChainTransaction } from './chain-transaction.js'
import type { Frame, ReadLog } from './read-frames.js'

/**
 * An instruction with its indexes: `inner` counts within its top-level instruction, and is null for the top-level
 * instruction.
 */
export interface IndexedInstruction {
  instruction: ChainInstruction
  instructionIndex: number
  innerIndex: number | null
}

export interface PairedLog {
  /** the frame of each instruction, by its index in the list; undefined where the log does not show it */
  frameOf: (number | undefined)[]
  /** the number of paired frames; later frames contradict the instructions and do not count */
  trustedFrames: number
  brokenBy?: 'truncated' | 'malformed'
}

/** Programs that the runtime itself checks: their instructions leave no line in the log. */
const PRECOMPILES: ReadonlySet<string> = new Set([
  'Ed25519SigVerify111111111111111111111111111',
  'KeccakSecp256k11111111111111111111111111111',
  'Secp256r1SigVerify1111111111111111111111111',
])

/** The instructions in the order of their execution: each top-level instruction, followed by its inner instructions. */
export function indexInstructions({
  instructions,
}: Pick<ChainTransaction, 'instructions'>): IndexedInstruction[] {
  return instructions.flatMap(({ instruction, inner }, instructionIndex) => [
    { instruction, instructionIndex, innerIndex: null },
    ...inner.map((each, innerIndex) => ({ instruction: each, instructionIndex, innerIndex })),
  ])
}

/**
 * Pairs the log's frames with the instructions, which are never truncated. From the first frame whose program or height
 * differs from its instruction, the log is not trusted.
 */
export function pairFrames(indexed: readonly IndexedInstruction[], log: ReadLog): PairedLog {
  const frameOf: (number | undefined)[] = []
  let next = 0
  let contradicted = false
  for (const { instruction, innerIndex } of indexed) {
    if (PRECOMPILES.has(instruction.programId)) {
      frameOf.push(undefined)
      continue
    }
    const frame: Frame | undefined = contradicted ? undefined : log.frames[next]
    if (frame === undefined) {
      frameOf.push(undefined)
      continue
    }
    const height = innerIndex === null ? 1 : instruction.stackHeight
    const fits: boolean =
      frame.programId === instruction.programId &&
      (height === null ? frame.height > 1 : frame.height === height)
    contradicted = !fits
    frameOf.push(fits ? next : undefined)
    if (fits) next++
  }
  const brokenBy = log.brokenBy ?? (contradicted || next < log.frames.length ? 'malformed' : undefined)
  return { frameOf, trustedFrames: next, ...(brokenBy && { brokenBy }) }
}
