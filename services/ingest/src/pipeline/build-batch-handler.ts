import type { HandleBatch, ReceivedBusMessage, Redeliver, StreamState } from '@payment-tracking/bus'
import { ServiceError, type Logger, type Tracing } from '@payment-tracking/runtime'
import { StoreUnverifiedError, type Store } from '@payment-tracking/store/core'
import { type Batch, type CommittedBatch, type RefusedMessage } from '@payment-tracking/store/ingest'
import type { OutboxRelay } from '../outbox-relay/outbox-relay.js'
import type { IngestMetrics } from '../ingest-metrics.js'
import type { DatabaseGuard } from '../recovery/database-guard.js'
import { BatchSequencer } from './batch-sequencer.js'
import { readBatch, type ProgramSettings } from './read-batch.js'
import { storeBatch } from './store-batch.js'
import { startBatchSpans, type BatchSpans } from './batch-spans.js'

interface Parts {
  store: Store
  guard: Pick<DatabaseGuard, 'serverRun' | 'doubt' | 'keep'>
  relay: Pick<OutboxRelay, 'start'>
  program: ProgramSettings
  metrics: IngestMetrics
  log: Logger
  tracing?: Tracing | undefined
  /** the messages were read before; see `Batch.again` */
  again?: boolean
}

const FIRST_DELAY_MS = 500
/** The longest time between the end of an outage and the next try of its messages. */
const LONGEST_DELAY_MS = 5_000

/** Half a second, doubled with each failed try up to five seconds, with a random spread of a quarter either way. */
export const redeliveryDelayMs = (failures: number): number =>
  Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS) * (0.75 + Math.random() / 2)

/** Relaying this many messages occupies the process for some milliseconds. Postgres should have work meanwhile. */
const MANY = 250

const sum = (committed: readonly CommittedBatch[], pick: (batch: CommittedBatch) => number): number =>
  committed.reduce((total, batch) => total + pick(batch), 0)

/**
 * Handles a batch of messages: reads the messages, stores them in one transaction, then starts the outbox relay. The
 * handler resolves when the transaction has committed. It does not wait for the relay: the sweeper repairs failures of
 * the relay.
 */
export function buildBatchHandler({
  store,
  guard,
  relay,
  program,
  metrics,
  log,
  tracing,
  again = false,
}: Parts): HandleBatch {
  let failures = 0
  const sequencer = new BatchSequencer()

  return async (
    messages: readonly ReceivedBusMessage[],
    stream: StreamState,
  ): Promise<Redeliver | undefined> => {
    const startedAt = performance.now()
    const sequenced = sequencer.add()
    let refused: RefusedMessage[]
    let committed: CommittedBatch[]
    let spans: BatchSpans | undefined
    try {
      const read = await readBatch(messages, program)
      refused = read.refused
      if (tracing) spans = startBatchSpans(tracing, messages, read.received)
      // The handler reads a batch while Postgres stores the previous batch, and stores batches in the order of their
      // arrival.
      await sequenced.previousEnded()
      const onWriting = () => sequenced.startWriting()
      const { programId } = program
      const batch = { stream, ...read, programId, traceParents: spans?.traceParents, onWriting, again }
      committed = await storeVerified(store, guard, batch)
      spans?.end()
      failures = 0
    } catch (err) {
      failures += 1
      const redeliverAfterMs = Math.round(redeliveryDelayMs(failures))
      const code = err instanceof ServiceError ? err.code : 'UNKNOWN'
      metrics.failedBatches.inc({ code })
      spans?.end(code)
      log.warn({ err, messages: messages.length, failures, redeliverAfterMs }, 'batch.failed')
      // The delay also holds this replica back: its next messages would fail the same way.
      await new Promise(resolve => setTimeout(resolve, Math.min(redeliverAfterMs, 2_000)))
      return { redeliverAfterMs }
    } finally {
      sequenced.end()
    }
    if (messages.length >= MANY) await sequenced.nextIsWriting()
    relay.start(committed)
    const lastPosition = committed.findLast(batch => batch.lastPosition !== null)?.lastPosition
    if (lastPosition != null) void guard.keep(lastPosition)
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

/** Stores on the verified database. If Postgres was restarted, verifies the database first. */
async function storeVerified(
  store: Store,
  guard: Pick<DatabaseGuard, 'serverRun' | 'doubt'>,
  batch: Batch,
): Promise<CommittedBatch[]> {
  try {
    return await storeBatch(store, { ...batch, serverRun: await guard.serverRun() })
  } catch (error) {
    if (!(error instanceof StoreUnverifiedError)) throw error
    guard.doubt()
    return storeBatch(store, { ...batch, serverRun: await guard.serverRun() })
  }
}
