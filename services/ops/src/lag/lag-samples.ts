// The lag of ingest during the last hour. Kept in memory: a restart begins anew, and Prometheus has
// the longer past.
import { INGEST_CONSUMER } from '@payment-tracking/contracts'
import type { Bus, StreamConfig } from '@payment-tracking/bus'
import { repeat, type Logger } from '@payment-tracking/runtime'

export interface LagSample {
  at: Date
  /** messages of the stream that ingest has not acknowledged */
  unread: number
  /** of these, delivered and in work */
  inFlight: number
}

export interface LagSamples {
  /** Oldest first. */
  list(): readonly LagSample[]
  close(): void
}

const EVERY_MS = 15_000
const KEPT = 240

export function sampleLag(bus: Bus, stream: StreamConfig, log: Logger): LagSamples {
  const samples: LagSample[] = []
  const sampling = repeat({
    everyMs: EVERY_MS,
    firstAfterMs: 0,
    ref: false,
    run: async () => {
      const { lastSequence, acknowledgedSequence, inFlight } = await bus.position({
        ...stream,
        consumerName: INGEST_CONSUMER,
      })
      samples.push({ at: new Date(), unread: Math.max(0, lastSequence - acknowledgedSequence), inFlight })
      if (samples.length > KEPT) samples.shift()
    },
    // A gap in the samples is the honest picture; /readyz says what is away.
    onError: err => log.debug({ err }, 'lag.not-sampled'),
  })
  sampling.start()
  return { list: () => samples, close: () => void sampling.stop() }
}
