// Publishes the final transactions between two slots, in the order of the chain. While the scan publishes a chunk, it reads
// the next chunk and lists the next page, so that the nodes never wait for the stream.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@payment-tracking/runtime'
import type { Auditor } from '../audit/auditor.js'
import type { IndexerMetrics } from '../indexer-metrics.js'
import type { ConfirmedMode } from '../confirmed/confirmed-mode.js'
import type { FetchedTransaction } from '../nodes/fetch-transaction.js'
import { NodeError } from '../nodes/node-error.js'
import type { NodePool } from '../nodes/node-pool.js'
import type { ListedTransaction } from '../nodes/open-node.js'
import type { Publisher } from '../publish/publisher.js'
import { BackfillProgress, ListProgress } from './backfill-progress.js'
import { withIndexes } from './block-indexes.js'
import { listAgain, listRange, type ListedRange, type ListOptions } from './list-range.js'
import { mapInOrder } from './ordered-fetch.js'
import { readAhead } from './read-ahead.js'
import type { TakenTransactions } from './taken-transactions.js'

interface ScanParts {
  settings: { concurrency: number }
  pool: NodePool
  publisher: Publisher
  auditor: Auditor
  confirmed: ConfirmedMode | undefined
  taken: TakenTransactions
  fetch: (listed: ListedTransaction) => Promise<FetchedTransaction | undefined>
  metrics: IndexerMetrics
  log: Logger
  signal: AbortSignal
}

/** What the scan reports while it works. */
interface ScanReport {
  /** the list has reached the program's first transaction */
  onFirst: (slot: number) => void
  /** a page is published; newer pages may hold more transactions of its newest slot */
  onPage: (newestSlot: number, isLast: boolean) => Promise<void>
}

/** A part of a page that is read, with the page's end when the part is its last. */
interface Chunk {
  listed: readonly ListedTransaction[]
  read: { fetched: FetchedTransaction | undefined; isPublished: boolean }[]
  endOfPage?: { number: number; newestSlot: number | undefined }
}

/** Transactions that are read before they are published and the checkpoint may move. */
const CHUNK = 500

export class FinalizedScan {
  constructor(private readonly parts: ScanParts) {}

  /** @throws the reason why a transaction could not be published: nothing after it is published either */
  async run(options: ListOptions, { onFirst, onPage }: ScanReport): Promise<void> {
    const { publisher, auditor, metrics, log } = this.parts
    const range = await this.#list(options)
    const { pages, reachedFirst } = range
    if (reachedFirst !== null) onFirst(reachedFirst)
    const progress = pages.length > 2 ? new BackfillProgress(log, metrics, pages.length) : undefined
    for await (const { listed, read, endOfPage } of readAhead(this.#chunks(options, range))) {
      await publisher.publish(
        read.flatMap(({ fetched, isPublished }) => (isPublished ? [] : (fetched ?? []))),
        'finalized',
      )
      await auditor.takePublished(read.flatMap(({ fetched }) => fetched ?? []))
      progress?.add(listed.length)
      if (!endOfPage) continue
      const { number, newestSlot } = endOfPage
      if (newestSlot !== undefined) await onPage(newestSlot, number === pages.length)
      progress?.page(number, newestSlot ?? options.fromSlot)
    }
    progress?.end()
  }

  /** Repeats a list on other nodes, in turn, when the list contradicts known facts. */
  async #list(options: ListOptions): Promise<ListedRange> {
    const { pool, log, signal } = this.parts
    for (let attempt = 0; ; attempt++) {
      try {
        return await listRange(pool, { ...options, onListed: new ListProgress(log).add })
      } catch (error) {
        if (!(error instanceof NodeError)) throw error
        const { message: reason, fault } = error
        log.warn({ reason, fault }, 'indexer.list-incomplete')
        await sleep(Math.min(250 * 2 ** attempt, 10_000), undefined, { signal })
      }
    }
  }

  /** The pages of a range, the oldest first. */
  async *#pages(
    options: ListOptions,
    { pages, oldest }: ListedRange,
  ): AsyncGenerator<ListedTransaction[], void> {
    yield oldest.transactions
    for (const page of pages.slice(1)) yield await listAgain(this.parts.pool, options, page)
  }

  async *#chunks(options: ListOptions, range: ListedRange): AsyncGenerator<Chunk, void> {
    const { pool, taken, metrics, log } = this.parts
    let number = 0
    for await (const listed of readAhead(this.#pages(options, range))) {
      number++
      // A page may hold older transactions than the range. These are published, and `taken` may have removed them.
      const inRange = listed.filter(({ slot }) => slot > options.fromSlot)
      // Failed transactions emit no events.
      const wanted = inRange.filter(({ signature, slot, failed }) => !failed && !taken.has(signature, slot))
      const ordered = await withIndexes(pool, wanted, (slot, reason) => {
        metrics.unordered()
        log.warn({ slot, reason }, 'indexer.order-unknown')
      })
      for (const { signature, slot } of ordered) taken.take(signature, slot)
      const endOfPage = { number, newestSlot: inRange.at(-1)?.slot }
      for (let from = 0; from === 0 || from < ordered.length; from += CHUNK) {
        const chunk = ordered.slice(from, from + CHUNK)
        const isLast = from + CHUNK >= ordered.length
        yield { listed: chunk, read: await this.#read(chunk), ...(isLast && { endOfPage }) }
      }
    }
  }

  #read(chunk: readonly ListedTransaction[]): Promise<Chunk['read']> {
    const { confirmed, fetch, settings } = this.parts
    return mapInOrder(chunk, settings.concurrency, async each => {
      const published = await confirmed?.confirm(each)
      if (published) return { fetched: published, isPublished: true }
      return { fetched: await fetch(each), isPublished: false }
    })
  }
}
