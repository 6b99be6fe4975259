// The parts of a transaction that determine the program's events, as a node's `getTransaction` returns them (encoding
// `json`), with the account keys already joined.

/** One instruction. `data` is base58, as nodes write it. */
export interface ChainInstruction {
  programId: string
  data: string
  /** 1 for a top-level instruction, its caller's height + 1 for an inner one; null when the node did not say */
  stackHeight: number | null
}

export interface ChainTransaction {
  /** base58, 64 bytes */
  signature: string
  slot: number
  /** the index of the transaction in its block; null when no node reports it */
  transactionIndex: number | null
  /** Unix seconds, from the block */
  blockTime: number
  /** whether the transaction failed: logs of a failed transaction do not count */
  failed: boolean
  /** null when the node keeps no logs */
  logMessages: readonly string[] | null
  /** every top-level instruction, each with the inner instructions it caused in execution order */
  instructions: readonly { instruction: ChainInstruction; inner: readonly ChainInstruction[] }[]
  /** false when the node did not record inner instructions */
  hasInnerInstructions: boolean
}
