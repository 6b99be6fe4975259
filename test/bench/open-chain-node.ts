import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { BenchContext } from './bench.js'
import type { NodeReady, PaymentConfirmed, PaymentOrder } from './chain-node.js'

export interface ChainNode {
  pid: number
  url: string
  /** Executes a payment in a block of its own, which is confirmed at once. */
  pay(order: PaymentOrder): void
  onConfirmed(listener: (payment: PaymentConfirmed) => void): void
}

/** Starts a simulated node in a process of its own, which ends with the bench. */
export async function openChainNode(context: BenchContext, payments: number): Promise<ChainNode> {
  const file = fileURLToPath(new URL('chain-node.ts', import.meta.url))
  const child = fork(file, [String(payments)], { execArgv: ['--import', 'tsx'] })
  context.teardown(() => child.kill())
  const [{ url }] = (await once(child, 'message')) as [NodeReady]
  return {
    pid: child.pid!,
    url,
    pay: order => void child.send(order),
    onConfirmed: listener => void child.on('message', listener),
  }
}
