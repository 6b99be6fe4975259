import { repeat, type Intake, type Logger, type RepeatedTask } from '@payment-tracking/runtime'
import { sweepAnnouncements, sweepBatches } from '@payment-tracking/store/ingest'
import { type Store } from '@payment-tracking/store/core'
import type { RelaySinks } from './outbox-relay.js'

/** A younger batch is probably being relayed right now. */
const OLDER_THAN_MS = 3_000
const BATCHES_A_SWEEP = 20
const ANNOUNCEMENTS_A_SWEEP = 500

/**
 * Announces what a crash or a Redis outage left unannounced: every `everyMs`, and at once while more is left. Deliveries are
 * left to the workers' sweeper, which marks each delivery that it enqueues.
 */
export class Sweeper implements Intake {
  readonly #sweeps: RepeatedTask

  constructor(
    private readonly store: Store,
    private readonly sinks: Pick<RelaySinks, 'announce'>,
    everyMs: number,
    private readonly log: Logger,
  ) {
    this.#sweeps = repeat({
      everyMs,
      run: stop => this.#sweep(stop),
      onError: err => log.warn({ err }, 'batch.sweep-failed'),
    })
  }

  start = () => this.#sweeps.start()
  stop = () => this.#sweeps.stop()

  async #sweep(stop: AbortSignal): Promise<void> {
    let swept: number
    do {
      swept = await sweepBatches(
        this.store,
        { olderThanMs: OLDER_THAN_MS, limit: BATCHES_A_SWEEP },
        async ({ epoch, payments, committedAt }) => {
          await this.sinks.announce({ epoch, payments, committedAtMs: committedAt.getTime() })
        },
      )
      swept += await sweepAnnouncements(
        this.store,
        { olderThanMs: OLDER_THAN_MS, limit: ANNOUNCEMENTS_A_SWEEP },
        async announcement => {
          await this.sinks.announce(announcement)
        },
      )
      if (swept > 0) this.log.info({ batches: swept }, 'batch.swept')
    } while (swept >= BATCHES_A_SWEEP && !stop.aborted)
  }
}
