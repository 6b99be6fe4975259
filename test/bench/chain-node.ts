// A simulated node in a process of its own, so that its CPU is not counted as the bench's or the indexer's. The argument is
// the number of payments that the chain begins with. Says its address to its parent. Told by its parent: {policy, recordId}, a payment to execute; says {signature, confirmedAt}.
import { openSimulatedNode } from '@payment-tracking/simulator'
import { fillChain, paymentCall } from './chain-load.js'

/** What the process says first. */
export interface NodeReady {
  url: string
}

/** A payment for the chain. */
export interface PaymentOrder {
  policy: number
  recordId: number
}

/** The payment is confirmed on the chain, and the node has told its sockets. */
export interface PaymentConfirmed {
  signature: string
  /** Unix milliseconds with fractions */
  confirmedAt: number
}

const chain = fillChain(Number(process.argv[2]))
const { url } = await openSimulatedNode(chain)
process.on('message', ({ policy, recordId }: PaymentOrder) => {
  const { signature } = chain.execute([paymentCall(policy, recordId)])
  const confirmedAt = performance.timeOrigin + performance.now()
  // The next slot confirms the block of the payment.
  chain.advance()
  process.send!({ signature, confirmedAt } satisfies PaymentConfirmed)
})
process.on('disconnect', () => process.exit())
process.send!({ url } satisfies NodeReady)
