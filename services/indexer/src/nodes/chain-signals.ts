// Sockets only signal the indexer: it believes nothing because of a socket, and misses nothing because of a silent
// socket. A socket that ends is opened again, after a growing wait.
import type { Address } from '@solana/addresses'
import { createSolanaRpcSubscriptions } from '@solana/rpc-subscriptions'
import type { Logger } from '@payment-tracking/runtime'
import { setTimeout as sleep } from 'node:timers/promises'
import { readLogsNotification } from './answers.js'
import type { NodeCommitment } from './open-node.js'

export interface ChainSignalOptions {
  url: string
  name: string
  programId: string
  commitment: NodeCommitment
  /** called for each successful transaction that names the program */
  onTransaction: (signature: string, slot: number) => void
  log: Logger
  signal: AbortSignal
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000

export async function listenToNode(options: ChainSignalOptions): Promise<void> {
  const { url, name, programId, commitment, onTransaction, log, signal } = options
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const notifications = await createSolanaRpcSubscriptions(url)
        .logsNotifications({ mentions: [programId as Address] }, { commitment })
        .subscribe({ abortSignal: signal })
      log.info({ node: name }, 'indexer.socket-open')
      for await (const message of notifications) {
        const { context, value } = readLogsNotification(message, name)
        failures = 0
        if ((value.err ?? null) === null) onTransaction(value.signature, Number(context.slot))
      }
    } catch (error) {
      // The error's own text may hold the address, which may hold a key.
      if (!signal.aborted) log.warn({ node: name, reason: (error as Error).name }, 'indexer.socket-lost')
    }
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures, 10), LONGEST_WAIT_MS)
    await sleep(waitMs, undefined, { signal }).catch(() => {})
  }
}
