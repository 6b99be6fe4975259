import type { Bus, HandleBatch, StreamConfig, StreamState } from '@payment-tracking/bus'
import type { Logger } from '@payment-tracking/runtime'

export interface ReingestOptions {
  bus: Bus
  /** stores a batch as ingest does: rows that exist stay unchanged */
  handle: HandleBatch
  stream: StreamConfig
  batchSize: number
  log: Logger
  signal?: AbortSignal
  /** when the stream was created that is to be read from a sequence; see `readAgain` */
  ofStream?: Date | null
  /** called every two seconds with the last sequence that is stored */
  onProgress?: (streamSequence: number, stream: StreamState) => Promise<void>
}

/** Smaller than the live stream's batches, which commit between these batches. */
const BATCH = 500
const PROGRESS_EVERY_MS = 2_000

/**
 * Reads the stream again from a sequence or a time, through the same steps as live messages. New payments are stored,
 * announced and delivered; known payments stay unchanged.
 * @returns how many messages were read
 */
export async function reingest(from: number | Date, options: ReingestOptions): Promise<number> {
  const { bus, handle, batchSize, log, signal, ofStream, onProgress } = options
  const startedAt = performance.now()
  let read = 0
  let saidAt = startedAt
  log.info({ from }, 'reingest.begun')
  const total = await bus.readAgain(
    { ...options.stream, from, ofStream, batchSize: Math.min(BATCH, batchSize), signal },
    async (messages, stream) => {
      const redeliver = await handle(messages, stream)
      if (redeliver) return redeliver
      read += messages.length
      if (performance.now() - saidAt > PROGRESS_EVERY_MS) {
        saidAt = performance.now()
        const { streamSequence } = messages.at(-1)!
        log.info({ messages: read, streamSequence }, 'reingest.goes-on')
        await onProgress?.(streamSequence, stream)
      }
      return undefined
    },
  )
  log.info({ messages: total, ms: Math.round(performance.now() - startedAt) }, 'reingest.done')
  return total
}
