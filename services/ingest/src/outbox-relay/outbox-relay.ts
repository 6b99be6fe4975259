// The outbox relay: after commit, it announces the payments and life-cycle events of a batch to the realtime pods,
// enqueues its webhook deliveries, and marks the batch. A failure here neither delays ingest nor loses a payment: a batch
// that is not marked is relayed again by the sweeper. The sweeper does not announce life-cycle events again: the pods
// look at their subscribers' policies themselves.
import type { DeliveryRef } from '@payment-tracking/contracts'
import type { Announcement } from '@payment-tracking/redis'
import type { Logger } from '@payment-tracking/runtime'
import { markRelayed, removeAnnouncements, type CommittedNews, type Store } from '@payment-tracking/store'

/** Where the relay sends: Redis pub/sub and the queue. Both reject when Redis is away. */
export interface RelaySinks {
  announce(announcement: Announcement & { epoch: string }): Promise<unknown>
  enqueue(deliveries: readonly DeliveryRef[]): Promise<unknown>
  /** Best effort. */
  wakeFeeds(gateways: readonly string[]): Promise<unknown>
}

/** Batches that may wait for Redis. The sweeper relays the rest later, so that memory stays bounded. */
const MOST_PENDING = 50

export class OutboxRelay {
  readonly #pending = new Set<Promise<void>>()

  constructor(
    private readonly store: Store,
    private readonly sinks: RelaySinks,
    private readonly log: Logger,
  ) {}

  /** Starts to relay committed batches; returns at once. */
  start(committed: readonly CommittedNews[]): void {
    if (this.#pending.size >= MOST_PENDING) return
    const run = this.#run(committed, new Date()).finally(() => this.#pending.delete(run))
    this.#pending.add(run)
  }

  /** Resolves when every started relay has ended, successfully or not. */
  async settle(): Promise<void> {
    await Promise.all(this.#pending)
  }

  async #run(committed: readonly CommittedNews[], committedAt: Date): Promise<void> {
    try {
      await Promise.all([
        this.sinks.wakeFeeds([...new Set(committed.flatMap(({ feeds }) => feeds))]),
        ...committed.map(({ epoch, payments, retractions, lifecycles, expectations }) =>
          this.sinks.announce({
            epoch,
            payments,
            retractions,
            lifecycles,
            expectations,
            committedAtMs: committedAt.getTime(),
          }),
        ),
        this.sinks.enqueue(committed.flatMap(batch => batch.deliveries)),
      ])
      await removeAnnouncements(
        this.store,
        committed.flatMap(batch => batch.announcementIds),
      )
      await markRelayed(
        this.store,
        committed.map(batch => batch.batchId).filter(id => id !== null),
      )
    } catch (err) {
      this.log.warn({ err }, 'batch.relay-failed')
    }
  }
}
