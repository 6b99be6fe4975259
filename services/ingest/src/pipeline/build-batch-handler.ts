import type { HandleBatch, ReceivedBusMessage, Redeliver, StreamState } from '@payment-tracking/bus'
import { ServiceError, type Logger, type Tracing } from '@payment-tracking/runtime'
import type { CommittedBatch, RefusedMessage, Store } from '@payment-tracking/store'
import type { HandOver } from '../hand-over/hand-over.js'
import type { IngestMetrics } from '../ingest-metrics.js'
import { readBatch, type ProgramSettings } from './read-batch.js'
import { storeBatch } from './store-batch.js'
import { traceBatch, type BatchTrace } from './trace-batch.js'
import { Turn } from './turn.js'

interface Parts {
  store: Store
  handOver: HandOver
  program: ProgramSettings
  metrics: IngestMetrics
  log: Logger
  tracing?: Tracing | undefined
}

const FIRST_DELAY_MS = 500
/** So long after the end of an outage, at most, is a payment of it tried again. */
const LONGEST_DELAY_MS = 5_000

/** Half a second, doubling with each failed try up to five, spread by a quarter either way. */
export const redeliveryDelayMs = (failures: number): number =>
  Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS) * (0.75 + Math.random() / 2)

/** To hand over so many takes some milliseconds, for which Postgres should not wait; to hand over fewer takes none. */
const MANY = 250

const sum = (committed: readonly CommittedBatch[], pick: (batch: CommittedBatch) => number): number =>
  committed.reduce((total, batch) => total + pick(batch), 0)

/**
 * What ingest does with a batch of messages: read, store in one transaction, then announce and enqueue. It
 * resolves when the transaction has committed; announcing goes on beside it, for it may fail and be swept up.
 */
export function buildBatchHandler({ store, handOver, program, metrics, log, tracing }: Parts): HandleBatch {
  let failures = 0
  let last: Turn | undefined

  return async (
    messages: readonly ReceivedBusMessage[],
    stream: StreamState,
  ): Promise<Redeliver | undefined> => {
    const startedAt = performance.now()
    const turn = new Turn(last)
    last = turn
    let refused: RefusedMessage[]
    let committed: CommittedBatch[]
    let trace: BatchTrace | undefined
    try {
      const read = await readBatch(messages, program)
      refused = read.refused
      if (tracing) trace = traceBatch(tracing, messages, read.received)
      // Reading went on beside the transaction of the batch before; storing keeps the order of arrival.
      await turn.begin()
      const onWriting = () => turn.nowWriting()
      committed = await storeBatch(store, { stream, ...read, traceParents: trace?.parents, onWriting })
      trace?.end()
      failures = 0
    } catch (err) {
      failures += 1
      const redeliverAfterMs = Math.round(redeliveryDelayMs(failures))
      const code = err instanceof ServiceError ? err.code : 'UNKNOWN'
      metrics.failedBatches.inc({ code })
      trace?.end(code)
      log.warn({ err, messages: messages.length, failures, redeliverAfterMs }, 'batch.failed')
      // The delay holds this replica back as well: what comes next would fail the same way.
      await new Promise(resolve => setTimeout(resolve, Math.min(redeliverAfterMs, 2_000)))
      return { redeliverAfterMs }
    } finally {
      turn.end()
    }
    if (messages.length >= MANY) await turn.nextIsWriting()
    handOver.begin(committed)
    const ms = performance.now() - startedAt
    metrics.batchSize.observe(messages.length)
    metrics.batchSeconds.observe(ms / 1000)
    const stored = sum(committed, batch => batch.storedCount)
    const deadLetters = sum(committed, batch => batch.deadLetterCount)
    metrics.events.inc({ result: 'stored' }, stored)
    metrics.events.inc(
      { result: 'duplicate' },
      sum(committed, batch => batch.duplicateCount),
    )
    metrics.events.inc({ result: 'refused' }, deadLetters)
    for (const { code, reason, streamSequence, subject } of refused) {
      log.warn({ code, reason, streamSequence, subject }, 'message.refused')
    }
    log.debug(
      {
        messages: messages.length,
        stored,
        deadLetters,
        ms: Math.round(ms),
        streamSequence: messages.at(-1)?.streamSequence,
      },
      'batch.committed',
    )
    return undefined
  }
}
