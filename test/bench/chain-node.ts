// Simulated nodes in a process of their own, so that their CPU is not counted as the bench's or the indexer's. The first
// argument is the number of payments that the chain begins with, the second the number of nodes. Says its addresses to
// its parent. Told by its parent: {policy, recordId}, a payment to execute; says {signature, confirmedAt}.
import { openSimulatedNode } from '@payment-tracking/simulator'
import { fillChain, paymentCall } from './chain-load.js'

/** What the process says first. */
export interface NodesReady {
  urls: string[]
}

/** A payment for the chain. */
export interface PaymentOrder {
  policy: number
  recordId: number
}

/** The payment is confirmed on the chain, and the nodes have told their sockets. */
export interface PaymentConfirmed {
  signature: string
  /** Unix milliseconds with fractions */
  confirmedAt: number
}

const [payments, nodes] = process.argv.slice(2).map(Number) as [number, number]
const chain = fillChain(payments)
const opened = await Promise.all(Array.from({ length: nodes }, () => openSimulatedNode(chain)))
process.on('message', ({ policy, recordId }: PaymentOrder) => {
  const { signature } = chain.execute([paymentCall(policy, recordId)])
  const confirmedAt = performance.timeOrigin + performance.now()
  // The next slot confirms the block of the payment.
  chain.advance()
  process.send!({ signature, confirmedAt } satisfies PaymentConfirmed)
})
process.on('disconnect', () => process.exit())
process.send!({ urls: opened.map(({ url }) => url) } satisfies NodesReady)
