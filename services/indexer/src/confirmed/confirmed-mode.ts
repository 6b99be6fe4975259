// Payments at `confirmed`, seconds before they are final. The finalized scan decides about each: final or retracted.
// States of a transaction: unknown → published (pending) → final | retracted.
import type { Bus, ReadAgainOptions } from '@payment-tracking/bus'
import { NodeError } from '../nodes/node-error.js'
import {
  fetchTransaction,
  unread,
  type FetchedTransaction,
  type FetchOptions,
} from '../nodes/fetch-transaction.js'
import type { NodePool } from '../nodes/node-pool.js'
import type { ChainNode, ListedTransaction } from '../nodes/open-node.js'
import type { Publisher } from '../publish/publisher.js'

interface Pending {
  slot: number
  /** the stream sequence before the transaction's messages; a successor reads from the lowest such sequence on */
  sequence: number
  /** the published transaction, or null when a predecessor published it */
  fetched: FetchedTransaction | null
}

/** The chain from one finalized block to the next is a proof of what lies between. */
const FURTHEST_NEXT_BLOCK = 500
/**
 * If no node returns a transaction for this long, because its fork was lost, the finalized scan handles the
 * transaction.
 */
const FETCH_PATIENCE_MS = 5_000
const RESTORED_AT_ONCE = 500

export class ConfirmedMode {
  readonly #pending = new Map<string, Pending>()
  readonly #inWork = new Set<string>()
  #queue: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly pool: NodePool,
    private readonly publisher: Publisher,
    private readonly options: Pick<FetchOptions, 'programId' | 'onDisagreement'>,
  ) {}

  /** The highest slot with a message published at `confirmed`. */
  highestSlot = 0

  /** Where a successor must begin to read the stream. */
  sequence(): number {
    const lowest = Math.min(...[...this.#pending.values()].map(({ sequence }) => sequence))
    return Number.isFinite(lowest) ? lowest : this.publisher.lastSequence
  }

  /** Reads from the stream which transactions a predecessor published without learning their finality. */
  async restore(bus: Bus, from: Omit<ReadAgainOptions, 'batchSize'>, through: number): Promise<void> {
    await bus.readAgain({ ...from, batchSize: RESTORED_AT_ONCE }, async messages => {
      for (const { subject, bytes, streamSequence: sequence } of messages) {
        const message = readOwn(bytes)
        if (!message || message.slot <= through) continue
        const { signature, slot } = message
        if (subject.endsWith('.control.retracted')) this.#pending.delete(signature)
        else if (message.commitment === 'confirmed' && message.program_id === this.options.programId)
          if (!this.#pending.has(signature)) this.#pending.set(signature, { slot, sequence, fetched: null })
      }
      return Promise.resolve(undefined)
    })
  }

  /** Publishes a confirmed transaction, unless it is published or being published. */
  publish(listed: ListedTransaction): Promise<void> {
    const { signature, slot } = listed
    // Only the finalized scan decides in which of two slots a transaction ends.
    if (listed.failed || this.#inWork.has(signature) || this.#pending.has(signature)) return Promise.resolve()
    this.#inWork.add(signature)
    const fetching = this.#read(listed)
    // A later transaction may be fetched sooner, but is published after this transaction.
    const publishing = Promise.all([fetching, this.#queue.catch(() => {})]).then(async ([fetched]) => {
      // The finalized scan handles unreadable transactions and transactions without events of the program.
      if (!fetched || fetched.gaps.length > 0 || fetched.events.length === 0) return
      const sequence = Math.max(1, this.publisher.lastSequence)
      this.#pending.set(signature, { slot, sequence, fetched })
      this.highestSlot = Math.max(this.highestSlot, slot)
      await this.publisher.publish([fetched], 'confirmed')
    })
    this.#queue = publishing
    return publishing.finally(() => this.#inWork.delete(signature))
  }

  async #read(listed: ListedTransaction): Promise<FetchedTransaction | undefined> {
    const options = { ...this.options, commitment: 'confirmed' as const, patienceMs: FETCH_PATIENCE_MS }
    try {
      const fetched = await fetchTransaction(this.pool, listed, options)
      if (!fetched || fetched.events.length === 0 || fetched.transaction.transactionIndex !== null)
        return fetched
      const index = await this.#indexOf(listed)
      return { ...fetched, transaction: { ...fetched.transaction, transactionIndex: index } }
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      this.#indexes = undefined
      return undefined
    }
  }

  /** The indexes in the last block that was asked for: payments of one block come together. */
  #indexes: { slot: number; signatures: Promise<string[]> } | undefined

  /** The index in the block, where nodes do not report it. Readers keep the first published index. */
  async #indexOf({ signature, slot }: ListedTransaction): Promise<number> {
    if (this.#indexes?.slot !== slot) this.#indexes = { slot, signatures: this.#signaturesOf(slot) }
    const index = (await this.#indexes.signatures).indexOf(signature)
    if (index < 0) throw new NodeError('wrong', `block ${slot} lacks ${signature}`)
    return index
  }

  async #signaturesOf(slot: number): Promise<string[]> {
    const { answer } = await this.pool.askOne(
      async node => {
        const block = await node.block(slot, 'confirmed')
        if (!block) throw new NodeError('not-ready', `${node.name} does not hold block ${slot}`)
        return block.signatures
      },
      { patienceMs: FETCH_PATIENCE_MS },
    )
    return answer
  }

  /** Waits until no publication is running. */
  drain = (): Promise<unknown> => this.#queue.catch(() => {})

  /**
   * Handles a transaction that the finalized scan found.
   * @returns the part that was published in this slot; undefined when the transaction must be published, also when a
   *   predecessor may have published a part. Retracts the transaction where it was published in another slot.
   */
  async confirm({ signature, slot }: ListedTransaction): Promise<FetchedTransaction | undefined> {
    const pending = this.#pending.get(signature)
    if (!pending) return undefined
    // Pending until the stream has the retraction: the checkpoint must not pass an unacknowledged one.
    if (pending.slot !== slot) await this.publisher.retract(signature, pending.slot)
    this.#pending.delete(signature)
    return pending.slot === slot ? (pending.fetched ?? undefined) : undefined
  }

  /**
   * Retracts transactions that the finalized chain up to `through` provably lacks.
   * @returns how many, and the transactions about which no node can say whether the chain holds them
   */
  async retractLost(through: number): Promise<{ retracted: number; unproven: FetchedTransaction[] }> {
    let retracted = 0
    const unproven: FetchedTransaction[] = []
    for (const [signature, { slot }] of this.#pending) {
      if (slot > through) continue
      const isFinal = await this.#isFinal(signature, slot, through).catch((error: unknown) => {
        if (!(error instanceof NodeError)) throw error
        return undefined
      })
      if (isFinal === undefined)
        unproven.push(unread({ signature, slot, transactionIndex: null }, 'NO_BLOCK'))
      if (isFinal === false) {
        await this.publisher.retract(signature, slot)
        retracted++
      }
      this.#pending.delete(signature)
    }
    return { retracted, unproven }
  }

  /**
   * Whether the finalized block of the slot holds the transaction. A block without the transaction, or a chain past the
   * slot, proves its absence.
   */
  #isFinal(signature: string, slot: number, through: number): Promise<boolean> {
    const question = async (node: ChainNode): Promise<boolean> => {
      const block = await node.block(slot, 'finalized')
      if (block) return block.signatures.includes(signature)
      const [next] = await node.blocks(slot + 1, Math.min(through, slot + FURTHEST_NEXT_BLOCK))
      if (next === undefined) throw new NodeError('not-ready', `${node.name} has no block after slot ${slot}`)
      const parent = (await node.block(next, 'finalized'))?.parentSlot
      if (parent === undefined || parent >= slot)
        throw new NodeError('wrong', `${node.name} has no block ${slot}, but block ${next} follows it`)
      return false
    }
    return this.pool.ask(question, { bound: { what: `block ${slot}, for the finality of ${signature}` } })
  }
}

interface OwnMessage {
  signature: string
  slot: number
  commitment?: string
  program_id?: string
}

function readOwn(bytes: Uint8Array): OwnMessage | undefined {
  try {
    const message = JSON.parse(Buffer.from(bytes).toString('utf8')) as Partial<OwnMessage> | null
    return typeof message?.signature === 'string' && typeof message.slot === 'number'
      ? (message as OwnMessage)
      : undefined
  } catch {
    return undefined
  }
}
