import type { PlacedTransaction, SimulatedTransaction } from './simulated-chain.js'

/** What is wrong with a node, changed at will while it runs. Every fault was seen at a real node. */
export interface NodeFaults {
  /** it is so many slots behind the chain */
  lagSlots: number
  /** each answer takes so long */
  delayMs: number
  /** so many of the next requests are answered 429 */
  rateLimited: number
  /** every request fails at once */
  down: boolean
  /** it keeps no logs */
  noLogs: boolean
  /** signatures that its list lacks */
  missing: Set<string>
  /** signatures that it lists and answers null for */
  nullTransactions: Set<string>
  /** signatures whose block time it does not know */
  nullTimes: Set<string>
  /** signatures that it answers with another slot than it listed */
  wrongSlots: Set<string>
  /** signatures whose log it cut to its first lines */
  shortLogs: Set<string>
  /** transactions that it answers otherwise than the chain holds them */
  lies: Map<string, SimulatedTransaction>
  /** transactions that it lists and answers, and that the chain does not hold */
  invented: PlacedTransaction[]
  /** a `before` that it does not know, here any, gets an empty list */
  emptyPages: boolean
  /** its list repeats entries and shuffles those of one slot */
  untidyList: boolean
  /** it does not say the place of a transaction in its block */
  noTransactionIndex: boolean
  /** its sockets stay open and say nothing */
  silentSockets: boolean
  /** its genesis, when it belongs to another chain */
  genesisHash: string | null
  /** the oldest slot that it keeps */
  firstAvailableBlock: number
}

export const noFaults = (): NodeFaults => ({
  lagSlots: 0,
  delayMs: 0,
  rateLimited: 0,
  down: false,
  noLogs: false,
  missing: new Set(),
  nullTransactions: new Set(),
  nullTimes: new Set(),
  wrongSlots: new Set(),
  shortLogs: new Set(),
  lies: new Map(),
  invented: [],
  emptyPages: false,
  untidyList: false,
  noTransactionIndex: false,
  silentSockets: false,
  genesisHash: null,
  firstAvailableBlock: 0,
})
