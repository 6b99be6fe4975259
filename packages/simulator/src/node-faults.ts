import type { BlockTransaction, SimulatedTransaction } from './simulated-chain.js'

/** The faults of a node, changeable while the node runs. Each fault was seen at a real node. */
export interface NodeFaults {
  /** the node is this many slots behind the chain */
  lagSlots: number
  /** the delay of each answer */
  delayMs: number
  /** how many of the next requests are answered 429 */
  rateLimited: number
  /** every request fails at once */
  down: boolean
  /** the node keeps no logs */
  noLogs: boolean
  /** signatures that the node's list lacks */
  missing: Set<string>
  /** signatures that the node lists, but for which it answers null */
  nullTransactions: Set<string>
  /** signatures whose block time the node does not know */
  nullTimes: Set<string>
  /** signatures with another slot in the transaction than in the list */
  wrongSlots: Set<string>
  /** signatures whose log the node cut to its first lines */
  shortLogs: Set<string>
  /** transactions that the node returns in another form than the chain's */
  lies: Map<string, SimulatedTransaction>
  /** transactions that the node lists and returns, but that the chain does not hold */
  invented: BlockTransaction[]
  /** every `before` is unknown to the node and gets an empty list */
  emptyPages: boolean
  /** the node's list repeats entries and shuffles the entries of one slot */
  untidyList: boolean
  /** the node does not report the index of a transaction in its block */
  noTransactionIndex: boolean
  /** the node's sockets stay open and send nothing */
  silentSockets: boolean
  /** the node's genesis hash, when it belongs to another chain */
  genesisHash: string | null
  /** the oldest slot that the node keeps */
  firstAvailableBlock: number
  /** changes the node's answer to a method; what it returns is sent, a string as it is */
  alter: ((method: string, answer: RpcAnswer, parameters: readonly unknown[]) => unknown) | null
}

/** An answer in the form of JSON-RPC. */
export interface RpcAnswer {
  jsonrpc: '2.0'
  id: number | string
  result?: unknown
  error?: { code: number; message: string; data?: unknown }
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
  alter: null,
})
