import { ServiceError } from '@payment-tracking/runtime'

/**
 * Why a node's answer cannot be used:
 * - `down`: no answer, or an error of the server
 * - `rate-limited`: it answered 429
 * - `behind`: it has not reached the slot that was asked for
 * - `not-ready`: it answers null for a transaction that it listed, or does not know its time yet
 * - `unfit`: it keeps no logs or no inner instructions, or belongs to another chain
 * - `wrong`: its answers contradict each other
 */
export type NodeFault = 'down' | 'rate-limited' | 'behind' | 'not-ready' | 'unfit' | 'wrong'

/** A Solana node did not answer as it must; another node, or a later try, may. */
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
