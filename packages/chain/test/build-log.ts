// Transactions written by hand: a tree of calls, turned into the instructions and the log that a node would answer.
import bs58 from 'bs58'
import { discriminatorOf, type ChainInstruction, type ChainTransaction } from '../src/index.js'

export const PROGRAM = 'TRibg8W8zmPHQqWtyAD1rEBRXEdyU13Mu6qX1Sg42tJ'
export const STRANGER = 'Stranger11111111111111111111111111111111111'

/** What a program does, in order: log lines, verbatim, and calls of others. */
export interface Call {
  program: string
  /** an instruction of the program; default one that is not known */
  instruction?: string
  does?: (string | Call)[]
}

export const dataLine = (...slices: Uint8Array[]) =>
  `Program data: ${slices.map(slice => Buffer.from(slice).toString('base64')).join(' ')}`

function run(call: Call, height: number, log: string[], inner: ChainInstruction[]): void {
  log.push(`Program ${call.program} invoke [${height}]`)
  for (const step of call.does ?? []) {
    if (typeof step === 'string') log.push(step)
    else {
      inner.push(instructionOf(step, height + 1))
      run(step, height + 1, log, inner)
    }
  }
  log.push(`Program ${call.program} consumed 1000 of 200000 compute units`, `Program ${call.program} success`)
}

const instructionOf = ({ program, instruction }: Call, stackHeight: number): ChainInstruction => ({
  programId: program,
  data: bs58.encode(instruction ? discriminatorOf('global', instruction) : Buffer.alloc(8)),
  stackHeight,
})

export function buildTransaction(calls: Call[], changes: Partial<ChainTransaction> = {}): ChainTransaction {
  const log: string[] = []
  const instructions = calls.map(call => {
    const inner: ChainInstruction[] = []
    run(call, 1, log, inner)
    return { instruction: instructionOf(call, 1), inner }
  })
  return {
    signature: bs58.encode(Buffer.alloc(64, 7)),
    slot: 390_000_000,
    transactionIndex: 12,
    blockTime: 1_780_000_000,
    failed: false,
    logMessages: log,
    instructions,
    hasInnerInstructions: true,
    ...changes,
  }
}
