import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { BenchContext } from './bench.js'
import type { NodesReady, PaymentConfirmed, PaymentOrder } from './chain-node.js'

export interface ChainNodes {
  /** the process of all nodes */
  pid: number
  urls: string[]
  /** Executes a payment in a block of its own, which is confirmed at once. */
  pay(order: PaymentOrder): void
  onConfirmed(listener: (payment: PaymentConfirmed) => void): void
}

/** Starts simulated nodes of one chain in a process of their own, which ends with the bench. */
export async function openChainNodes(
  context: BenchContext,
  { payments, nodes }: { payments: number; nodes: number },
): Promise<ChainNodes> {
  const file = fileURLToPath(new URL('chain-node.ts', import.meta.url))
  const child = fork(file, [String(payments), String(nodes)], { execArgv: ['--import', 'tsx'] })
  context.teardown(() => child.kill())
  const [{ urls }] = (await once(child, 'message')) as [NodesReady]
  return {
    pid: child.pid!,
    urls,
    pay: order => void child.send(order),
    onConfirmed: listener => void child.on('message', listener),
  }
}
