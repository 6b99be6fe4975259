import type { GapReason } from '@payment-tracking/chain'
import { ServiceError } from '@payment-tracking/runtime'

/**
 * Why a node's answer is unusable:
 * - `down`: no answer, or a server error
 * - `rate-limited`: the node answered 429
 * - `behind`: the node has not reached the requested slot
 * - `not-ready`: the node answers null for a transaction that it listed, or does not know the transaction's time yet
 * - `unfit`: the node keeps no logs, no inner instructions or not all keys of the transaction, or belongs to another chain
 * - `wrong`: the node's answers contradict each other, or have another shape than the method's
 */
export type NodeFault = 'down' | 'rate-limited' | 'behind' | 'not-ready' | 'unfit' | 'wrong'

/** A Solana node gave no usable answer. Another node, or a later try, may succeed. */
export class NodeError extends ServiceError {
  readonly code = 'NODE_FAILED'
  readonly retry = 'later'

  constructor(
    readonly fault: NodeFault,
    message: string,
    readonly retryAfterMs = 0,
    cause?: unknown,
  ) {
    super(message, { cause })
  }
}

/** A node answered for a transaction, and the transaction cannot be read from the answer. */
export class UnreadableError extends NodeError {
  constructor(
    fault: NodeFault,
    message: string,
    /** of the gap, when no node answers better */
    readonly reason: GapReason,
  ) {
    super(fault, message)
  }
}
