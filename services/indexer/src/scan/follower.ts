// The work during one lease: from the checkpoint to the tip, then onwards. Only the finalized list decides; sockets and
// the early lane only speed it up. States: restoring → backfilling → following → ended (lease lost, or stopping).
import type { Bus, KeyValue } from '@payment-tracking/bus'
import type { Logger } from '@payment-tracking/runtime'
import { setTimeout as sleep } from 'node:timers/promises'
import { Auditor } from '../audit/auditor.js'
import { CounterAudit } from '../audit/counter-audit.js'
import { Counters } from '../audit/counters.js'
import type { IndexerMetrics } from '../indexer-metrics.js'
import { EarlyLane } from '../lane/early-lane.js'
import { NodeError } from '../nodes/node-error.js'
import { fetchTransaction, type FetchedTransaction } from '../nodes/fetch-transaction.js'
import type { NodePool } from '../nodes/node-pool.js'
import type { ListedTransaction } from '../nodes/open-node.js'
import type { Publisher } from '../publish/publisher.js'
import { BackfillProgress } from './backfill-progress.js'
import type { Checkpoint, CheckpointStore } from './checkpoint.js'
import { listAgain, listRange, type ListOptions } from './list-range.js'
import { mapInOrder } from './ordered-fetch.js'

export interface FollowerSettings {
  PROGRAM_ID: string
  STREAM_NAME: string
  INDEXER_START_SLOT?: number
  INDEXER_COMMITMENT: 'finalized' | 'confirmed'
  INDEXER_CONCURRENCY: number
  INDEXER_POLL_MS: number
  INDEXER_RESCAN_MS: number
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
/** Transactions that are fetched before they are published and the checkpoint moves. */
const CHUNK = 500
/** A backfill saves its checkpoint and counters this often. After a crash, the indexer reads again from there. */
const SAVE_MS = 3_000

export class Follower {
  readonly #lane: EarlyLane | undefined
  readonly #done = new Map<string, number>()
  #auditor!: Auditor
  #counters!: Counters
  #checkpoint!: Checkpoint
  #savedAt = -Infinity
  #hasCaughtUp = false
  #rescanFrom = 0
  #rescannedAt = performance.now()
  #watermark = { slot: 0, at: -Infinity }
  #wake: () => void = () => {}

  constructor(private readonly parts: FollowerParts) {
    const { settings, pool, publisher } = parts
    if (settings.INDEXER_COMMITMENT === 'confirmed')
      this.#lane = new EarlyLane(pool, publisher, this.#fetchOptions)
  }

  readonly #onDisagreement = (node: string, signature: string): void => {
    this.parts.metrics.disagreement(node)
    this.parts.log.warn({ node, signature }, 'indexer.nodes-disagree')
  }

  get #fetchOptions() {
    return { programId: this.parts.settings.PROGRAM_ID, onDisagreement: this.#onDisagreement }
  }

  readonly #fetch = (listed: ListedTransaction): Promise<FetchedTransaction | undefined> =>
    fetchTransaction(this.parts.pool, listed, { ...this.#fetchOptions, commitment: 'finalized' })

  /** A socket reported a transaction. The early lane publishes it at once. */
  onTransaction(signature: string, slot: number): void {
    if (!this.#checkpoint) return
    if (this.#lane && slot > this.#checkpoint.through && !this.#done.has(signature)) {
      this.#lane.publish({ signature, slot, failed: false, transactionIndex: null }).catch(this.#fail)
    } else this.#wake()
  }

  #failure: Error | undefined
  readonly #fail = (error: Error): void => {
    this.#failure ??= error
    this.#wake()
  }

  /**
   * Runs until the signal aborts. @throws the reason of the end: the lease, the stream, a checkpoint of another chain
   */
  async run(genesisHash: string): Promise<void> {
    const { settings, bus, checkpoints, signal, log } = this.parts
    const loaded = await checkpoints.load(genesisHash, settings.PROGRAM_ID)
    const through = loaded?.through ?? Math.max(0, (settings.INDEXER_START_SLOT ?? 1) - 1)
    this.#checkpoint = loaded ?? {
      genesisHash,
      programId: settings.PROGRAM_ID,
      through,
      firstSlot: null,
      knownSlot: null,
      streamSequence: 0,
      fromTheBeginning: settings.INDEXER_START_SLOT === undefined,
      open: { transactions: [], holes: [] },
    }
    this.#rescanFrom = through
    const { fromTheBeginning } = this.#checkpoint
    await this.#openAudit(fromTheBeginning)
    await this.#lane?.restore(bus, settings.STREAM_NAME, this.#checkpoint.streamSequence, through)
    log.info({ through, resumed: loaded !== undefined, fromTheBeginning }, 'indexer.following')
    while (!signal.aborted) {
      const woken = new Promise<void>(resolve => (this.#wake = resolve))
      await this.#step()
      if (this.#failure) throw this.#failure
      await Promise.race([woken, sleep(settings.INDEXER_POLL_MS, undefined, { signal }).catch(() => {})])
    }
  }

  async #openAudit(fromTheBeginning: boolean): Promise<void> {
    const { keys, pool, publisher, log, settings } = this.parts
    this.#counters = new Counters(keys)
    await this.#counters.load()
    const counters = new CounterAudit(settings.PROGRAM_ID, fromTheBeginning, this.#counters)
    const isPublished = (each: ListedTransaction) => this.#unpublished([each]).length === 0
    const parts = {
      programId: settings.PROGRAM_ID,
      pool,
      publisher,
      counters,
      log,
      fetch: this.#fetch,
      isPublished,
    }
    this.#auditor = new Auditor(parts, this.#checkpoint.open)
  }

  /** One step: publishes new final transactions, then runs the periodic checks. */
  async #step(): Promise<void> {
    const { pool, metrics } = this.parts
    const toSlot = await pool.ask(node => node.slot('finalized'))
    const isDue = performance.now() - this.#rescannedAt >= this.parts.settings.INDEXER_RESCAN_MS
    if (toSlot > this.#checkpoint.through || isDue) {
      metrics.finalized(toSlot)
      await this.#scan(Math.max(toSlot, this.#checkpoint.through), isDue)
    }
    if (this.#lane) await this.#publishConfirmed()
    if (isDue) await this.#audits()
  }

  /** The unpublished transactions of a list, without failed transactions, which emit no events. */
  #unpublished = (listed: readonly ListedTransaction[]): ListedTransaction[] =>
    listed.filter(({ signature, slot, failed }) => !failed && this.#done.get(signature) !== slot)

  async #scan(toSlot: number, isRescan: boolean): Promise<void> {
    const { settings, pool, metrics, log } = this.parts
    const { through } = this.#checkpoint
    const { INDEXER_START_SLOT: startSlot = 0 } = settings
    const options: ListOptions = {
      programId: settings.PROGRAM_ID,
      toSlot,
      fromSlot: Math.max(0, startSlot - 1, (isRescan ? this.#rescanFrom : through) - OVERLAP_SLOTS),
      firstSlot: this.#checkpoint.firstSlot,
      knownSlot: this.#checkpoint.knownSlot,
      onDisagreement: this.#onDisagreement,
    }
    const { pages, oldest, reachedFirst } = await this.#list(options)
    if (reachedFirst !== null) this.#checkpoint = { ...this.#checkpoint, firstSlot: reachedFirst }
    const progress = pages.length > 2 ? new BackfillProgress(log, metrics, pages.length) : undefined
    for (const [at, { before }] of pages.entries()) {
      const listed = at === 0 ? oldest.transactions : await listAgain(pool, options, before)
      const inRange = listed.filter(({ slot }) => slot >= startSlot)
      await this.#publishFinal(await this.#withPlaces(this.#unpublished(inRange)), progress)
      // Newer pages may hold more transactions of the newest slot.
      const newest = inRange.at(-1)?.slot
      if (newest !== undefined)
        this.#checkpoint = {
          ...this.#checkpoint,
          knownSlot: Math.max(newest, this.#checkpoint.knownSlot ?? 0),
        }
      const isLast = at === pages.length - 1
      if (!isLast && newest !== undefined && performance.now() - this.#savedAt >= SAVE_MS)
        await this.#advance(Math.max(through, newest - 1))
      progress?.page(at + 1, newest ?? through)
    }
    progress?.end()
    await this.#lane?.settle()
    const retracted = (await this.#lane?.retractLost(toSlot)) ?? 0
    metrics.retracted(retracted)
    await this.#publishWatermark(toSlot)
    await this.#advance(toSlot)
    if (!this.#hasCaughtUp) log.info({ through: toSlot }, 'indexer.caught-up')
    this.#hasCaughtUp = true
  }

  /** Repeats a list on other nodes, in turn, when the list contradicts known facts. */
  async #list(options: ListOptions) {
    for (let attempt = 0; ; attempt++) {
      try {
        return await listRange(this.parts.pool, options)
      } catch (error) {
        if (!(error instanceof NodeError)) throw error
        const { message: reason, fault } = error
        this.parts.log.warn({ reason, fault }, 'indexer.list-incomplete')
        await sleep(Math.min(250 * 2 ** attempt, 10_000), undefined, { signal: this.parts.signal })
      }
    }
  }

  /** The place in the block orders transactions of one slot. Where lists lack the place, the block has it. */
  async #withPlaces(listed: readonly ListedTransaction[]): Promise<readonly ListedTransaction[]> {
    const counts = new Map<number, number>()
    for (const { slot } of listed) counts.set(slot, (counts.get(slot) ?? 0) + 1)
    const unknown = new Set(
      listed
        .filter(each => each.transactionIndex === null && counts.get(each.slot)! > 1)
        .map(({ slot }) => slot),
    )
    if (unknown.size === 0) return listed
    const places = new Map<string, number>()
    for (const slot of unknown) {
      const block = await this.parts.pool.ask(async node => {
        const found = await node.block(slot, 'finalized')
        if (!found) throw new NodeError('not-ready', `${node.name} does not hold block ${slot}`)
        return found
      })
      block.signatures.forEach((signature, place) => places.set(signature, place))
    }
    return listed
      .map(each => ({
        ...each,
        transactionIndex: each.transactionIndex ?? places.get(each.signature) ?? null,
      }))
      .sort((a, b) => a.slot - b.slot || (a.transactionIndex ?? 0) - (b.transactionIndex ?? 0))
  }

  /** Publishes final transactions in chain order, and fills the holes in their numbers. */
  async #publishFinal(listed: readonly ListedTransaction[], progress?: BackfillProgress): Promise<void> {
    const { settings, publisher } = this.parts
    for (let at = 0; at < listed.length; at += CHUNK) {
      const chunk = listed.slice(at, at + CHUNK)
      const fetched = await mapInOrder(chunk, settings.INDEXER_CONCURRENCY, async each => {
        const published = await this.#lane?.confirm(each)
        if (published) return { fetched: published, isPublished: true }
        return { fetched: await this.#fetch(each), isPublished: false }
      })
      const fresh = fetched.flatMap(each => (each.isPublished ? [] : (each.fetched ?? [])))
      await publisher.publish(fresh, 'finalized')
      for (const { signature, slot } of chunk) this.#done.set(signature, slot)
      await this.#auditor.takePublished(fetched.flatMap(each => each.fetched ?? []))
      progress?.add(chunk.length)
    }
  }

  async #publishWatermark(slot: number): Promise<void> {
    const { at, slot: last } = this.#watermark
    const isDue = performance.now() - at >= WATERMARK_MS
    if (slot <= last || (!this.#lane && !isDue)) return
    // In the early lane every step makes slots final; without payments, watermarks would only fill the stream.
    if (this.#lane && this.#lane.highestSlot <= last && !isDue) return
    await this.parts.publisher.publishFinalized(slot)
    this.#watermark = { slot, at: performance.now() }
  }

  /** Moves the checkpoint; fails for a leader that lost its lease. */
  async #advance(through: number): Promise<void> {
    const { checkpoints, publisher, metrics } = this.parts
    const streamSequence = this.#lane?.sequence() ?? publisher.lastSequence
    this.#checkpoint = { ...this.#checkpoint, through, streamSequence, open: this.#auditor.open }
    await this.#counters.save()
    await checkpoints.save(this.#checkpoint)
    this.#savedAt = performance.now()
    metrics.checkpoint(through)
    const forget = Math.min(this.#rescanFrom, through) - OVERLAP_SLOTS
    for (const [signature, slot] of this.#done) if (slot < forget) this.#done.delete(signature)
  }

  /** Publishes confirmed transactions that no socket reported. */
  async #publishConfirmed(): Promise<void> {
    const { pool, settings } = this.parts
    const { through } = this.#checkpoint
    const listed = await pool.ask(node => node.list(settings.PROGRAM_ID, 'confirmed', 0))
    const fresh = listed
      .filter(({ slot, signature }) => slot > through && !this.#done.has(signature))
      .reverse()
    await Promise.all(fresh.map(each => this.#lane!.publish(each)))
  }

  /** Runs the periodic checks: compares counters with the chain's accounts, and tries to close gaps. */
  async #audits(): Promise<void> {
    this.#rescannedAt = performance.now()
    this.#rescanFrom = this.#checkpoint.through
    await this.#auditor.run(this.#checkpoint.through)
    await this.#advance(this.#checkpoint.through)
  }
}
