// The work during one lease: from the checkpoint to the tip, then onwards. Only the finalized list decides; sockets and
// confirmed mode only speed it up. States: restoring → backfilling → following → ended (lease lost, or stopping).
import type { Bus, KeyValue, StreamConfig } from '@payment-tracking/bus'
import type { Logger } from '@payment-tracking/runtime'
import { setTimeout as sleep } from 'node:timers/promises'
import { Auditor } from '../audit/auditor.js'
import { CounterAudit } from '../audit/counter-audit.js'
import { Counters } from '../audit/counters.js'
import type { IndexerMetrics } from '../indexer-metrics.js'
import { ConfirmedMode } from '../confirmed/confirmed-mode.js'
import { fetchTransaction, type FetchedTransaction } from '../nodes/fetch-transaction.js'
import { NodeError } from '../nodes/node-error.js'
import type { NodePool } from '../nodes/node-pool.js'
import type { ChainNode, ListedTransaction } from '../nodes/open-node.js'
import type { Publisher } from '../publish/publisher.js'
import type { Checkpoint, CheckpointStore } from './checkpoint.js'
import { FinalizedScan } from './finalized-scan.js'
import type { ListOptions } from './list-range.js'
import { TakenTransactions } from './taken-transactions.js'

export interface FollowerSettings extends StreamConfig {
  programId: string
  startSlot: number | undefined
  commitment: 'finalized' | 'confirmed'
  concurrency: number
  pollMs: number
  rescanEveryMs: number
  auditedAtOnce: number
  /** the bound of each wait for an answer that can be used */
  patienceMs: number
}

export interface FollowerParts {
  settings: FollowerSettings
  bus: Bus
  pool: NodePool
  publisher: Publisher
  checkpoints: CheckpointStore
  /** stores the counters, beside the checkpoint */
  keys: KeyValue
  metrics: IndexerMetrics
  log: Logger
  /** aborted when the lease is lost or the service stops */
  signal: AbortSignal
}

/** This many slots below the checkpoint are listed again: a node may list a transaction late. */
const OVERLAP_SLOTS = 150
/** Without newly final transactions, a watermark is still published this often. */
const WATERMARK_MS = 60_000
const ignoreNodes = (error: unknown): undefined => {
  if (!(error instanceof NodeError)) throw error
}

/** A backfill saves its checkpoint and counters this often. After a crash, the indexer reads again from there. */
const SAVE_MS = 3_000

export class Follower {
  readonly #confirmed: ConfirmedMode | undefined
  readonly #taken = new TakenTransactions()
  #auditor!: Auditor
  #finalized!: FinalizedScan
  #counters!: Counters
  #checkpoint!: Checkpoint
  #savedAt = -Infinity
  #hasCaughtUp = false
  #rescanFrom = 0
  #rescannedAt = performance.now()
  #watermark = { slot: 0, at: -Infinity }
  #signalStep: () => void = () => {}

  constructor(private readonly parts: FollowerParts) {
    const { settings, pool, publisher } = parts
    if (settings.commitment === 'confirmed')
      this.#confirmed = new ConfirmedMode(pool, publisher, this.#fetchOptions)
  }

  readonly #onDisagreement = (node: string, signature: string): void => {
    this.parts.metrics.disagreement(node)
    this.parts.log.warn({ node, signature }, 'indexer.nodes-disagree')
  }

  get #fetchOptions() {
    return { programId: this.parts.settings.programId, onDisagreement: this.#onDisagreement }
  }

  readonly #fetch = (listed: ListedTransaction, boundMs?: number): Promise<FetchedTransaction | undefined> =>
    fetchTransaction(this.parts.pool, listed, {
      ...this.#fetchOptions,
      commitment: 'finalized',
      ...(boundMs !== undefined && { boundMs }),
    })

  /** A socket reported a transaction. Confirmed mode publishes it at once. */
  onTransaction(signature: string, slot: number): void {
    if (!this.#checkpoint) return
    if (this.#confirmed && slot > this.#checkpoint.through && !this.#taken.isKnown(signature)) {
      this.#confirmed.publish({ signature, slot, failed: false, transactionIndex: null }).catch(this.#fail)
    } else this.#signalStep()
  }

  #failure: Error | undefined
  readonly #fail = (error: Error): void => {
    this.#failure ??= error
    this.#signalStep()
  }

  /**
   * Runs until the signal aborts. @throws the reason of the end: the lease, the stream, a checkpoint of another chain
   */
  async run(genesisHash: string): Promise<void> {
    const { settings, bus, checkpoints, signal, log } = this.parts
    const loaded = await checkpoints.load(genesisHash, settings.programId)
    const through = loaded?.through ?? Math.max(0, (settings.startSlot ?? 1) - 1)
    this.#checkpoint = loaded ?? {
      genesisHash,
      programId: settings.programId,
      through,
      finalizedSlot: through,
      firstSlot: null,
      knownSlot: null,
      streamSequence: 0,
      fromTheBeginning: settings.startSlot === undefined,
      open: { transactions: [], holes: [] },
    }
    // Otherwise the first checkpoint would let a successor read the stream from its beginning.
    const { publisher } = this.parts
    publisher.lastSequence = Math.max(publisher.lastSequence, this.#checkpoint.streamSequence)
    this.#rescanFrom = through
    const { fromTheBeginning } = this.#checkpoint
    await this.#openScan(fromTheBeginning)
    const { streamSequence: from } = this.#checkpoint
    await this.#confirmed?.restore(bus, { ...settings, from, signal }, through)
    log.info({ through, resumed: loaded !== undefined, fromTheBeginning }, 'indexer.following')
    while (!signal.aborted) {
      const woken = new Promise<void>(resolve => (this.#signalStep = resolve))
      await this.#step()
      if (this.#failure) throw this.#failure
      await Promise.race([woken, sleep(settings.pollMs, undefined, { signal }).catch(() => {})])
    }
  }

  async #openScan(fromTheBeginning: boolean): Promise<void> {
    const { keys, pool, publisher, log, settings } = this.parts
    this.#counters = new Counters(keys)
    await this.#counters.load()
    const counters = new CounterAudit(settings.programId, fromTheBeginning, this.#counters)
    const isPublished = ({ signature, slot }: ListedTransaction) => this.#taken.has(signature, slot)
    const parts = {
      programId: settings.programId,
      pool,
      publisher,
      counters,
      log,
      fetch: this.#fetch,
      isPublished,
      auditedAtOnce: settings.auditedAtOnce,
    }
    this.#auditor = new Auditor(parts, this.#checkpoint.open)
    this.#finalized = new FinalizedScan({
      ...this.parts,
      auditor: this.#auditor,
      confirmed: this.#confirmed,
      taken: this.#taken,
      fetch: this.#fetch,
    })
  }

  /** One step: publishes new final transactions, then runs the periodic checks. */
  async #step(): Promise<void> {
    const { pool, metrics } = this.parts
    const toSlot = await pool.ask(node => node.slot('finalized'))
    const isDue = performance.now() - this.#rescannedAt >= this.parts.settings.rescanEveryMs
    if (toSlot > this.#checkpoint.through || isDue) {
      metrics.finalized(toSlot)
      await this.#scan(Math.max(toSlot, this.#checkpoint.through), isDue)
    }
    if (this.#confirmed) await this.#publishConfirmed()
    if (isDue) await this.#audits()
  }

  async #scan(toSlot: number, isRescan: boolean): Promise<void> {
    const { settings, log } = this.parts
    const { through, firstSlot, knownSlot } = this.#checkpoint
    this.#checkpoint = { ...this.#checkpoint, finalizedSlot: toSlot }
    const from = (isRescan ? this.#rescanFrom : through) - OVERLAP_SLOTS
    const options: ListOptions = {
      programId: settings.programId,
      toSlot,
      fromSlot: Math.max(0, (settings.startSlot ?? 0) - 1, from),
      firstSlot,
      knownSlot,
      onDisagreement: this.#onDisagreement,
    }
    await this.#finalized.run(options, {
      onFirst: slot => (this.#checkpoint = { ...this.#checkpoint, firstSlot: slot }),
      onPage: async (newest, isLast) => {
        const known = Math.max(newest, this.#checkpoint.knownSlot ?? 0)
        this.#checkpoint = { ...this.#checkpoint, knownSlot: known }
        if (isLast || performance.now() - this.#savedAt < SAVE_MS) return
        await this.#advance(Math.max(through, newest - 1))
      },
    })
    await this.#confirmed?.drain()
    const lost = await this.#confirmed?.retractLost(toSlot)
    if (lost) await this.#takeLost(lost)
    await this.#publishWatermark(toSlot)
    await this.#advance(toSlot)
    if (!this.#hasCaughtUp) log.info({ through: toSlot }, 'indexer.caught-up')
    this.#hasCaughtUp = true
  }

  async #takeLost({ retracted, unproven }: Awaited<ReturnType<ConfirmedMode['retractLost']>>): Promise<void> {
    this.parts.metrics.retracted(retracted)
    await this.parts.publisher.publish(unproven, 'finalized')
    await this.#auditor.takePublished(unproven)
  }

  async #publishWatermark(slot: number): Promise<void> {
    const { at, slot: last } = this.#watermark
    const isDue = performance.now() - at >= WATERMARK_MS
    if (slot <= last || (!this.#confirmed && !isDue)) return
    // In confirmed mode every step makes slots final; without payments, watermarks would only fill the stream.
    if (this.#confirmed && this.#confirmed.highestSlot <= last && !isDue) return
    await this.parts.publisher.publishFinalized(slot)
    this.#watermark = { slot, at: performance.now() }
  }

  /** Moves the checkpoint; fails for a leader that lost its lease. */
  async #advance(through: number): Promise<void> {
    const { checkpoints, publisher, metrics } = this.parts
    const streamSequence = this.#confirmed?.sequence() ?? publisher.lastSequence
    this.#checkpoint = { ...this.#checkpoint, through, streamSequence, open: this.#auditor.open }
    await this.#counters.save()
    await checkpoints.save(this.#checkpoint)
    this.#savedAt = performance.now()
    metrics.checkpoint(through)
    const overlap = through - OVERLAP_SLOTS
    const remembered = this.#taken.forget(Math.min(this.#rescanFrom - OVERLAP_SLOTS, overlap), overlap)
    this.#rescanFrom = Math.max(this.#rescanFrom, remembered + OVERLAP_SLOTS)
  }

  /** Publishes confirmed transactions that no socket reported. */
  async #publishConfirmed(): Promise<void> {
    const { pool, settings } = this.parts
    const { through } = this.#checkpoint
    const question = (node: ChainNode) => node.list(settings.programId, 'confirmed', 0)
    // What is not found here comes with the final transactions.
    const listed = await pool.ask(question, { bound: { what: 'confirmed transactions' } }).catch(ignoreNodes)
    if (!listed) return
    const fresh = listed
      .filter(({ slot, signature }) => slot > through && !this.#taken.isKnown(signature))
      .reverse()
    await Promise.all(fresh.map(each => this.#confirmed!.publish(each)))
  }

  /** Runs the periodic checks: compares counters with the chain's accounts, and tries to close gaps. */
  async #audits(): Promise<void> {
    this.#rescannedAt = performance.now()
    this.#rescanFrom = this.#checkpoint.through
    await this.#auditor.run(this.#checkpoint.through)
    await this.#advance(this.#checkpoint.through)
  }
}
