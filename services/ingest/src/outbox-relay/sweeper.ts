import type { Intake, Logger } from '@payment-tracking/runtime'
import { sweepAnnouncements, sweepBatches, type Store } from '@payment-tracking/store'
import type { RelaySinks } from './outbox-relay.js'

/** A younger batch is probably being relayed right now. */
const OLDER_THAN_MS = 3_000
const BATCHES_A_SWEEP = 20
const ANNOUNCEMENTS_A_SWEEP = 500

/**
 * Relays the batches that a crash or a Redis outage left behind: every SWEEP_INTERVAL_MS, and at once while more are
 * left.
 */
export class Sweeper implements Intake {
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #stopping = false

  constructor(
    private readonly store: Store,
    private readonly sinks: RelaySinks,
    private readonly intervalMs: number,
    private readonly log: Logger,
  ) {}

  start(): void {
    this.#schedule()
  }

  async stop(): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #schedule(): void {
    if (this.#stopping) return
    this.#timer = setTimeout(() => {
      this.#running = this.#sweep().finally(() => this.#schedule())
    }, this.intervalMs)
  }

  async #sweep(): Promise<void> {
    try {
      let swept: number
      do {
        swept = await sweepBatches(
          this.store,
          { olderThanMs: OLDER_THAN_MS, limit: BATCHES_A_SWEEP },
          async ({ epoch, payments, deliveries, committedAt }) => {
            const announcement = { epoch, payments, committedAtMs: committedAt.getTime() }
            await Promise.all([this.sinks.announce(announcement), this.sinks.enqueue(deliveries)])
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
      } while (swept >= BATCHES_A_SWEEP && !this.#stopping)
    } catch (err) {
      this.log.warn({ err }, 'batch.sweep-failed')
    }
  }
}
