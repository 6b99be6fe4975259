// The outbox relay: after commit, it announces the payments and life-cycle events of a batch to the realtime pods, and enqueues
// its webhook deliveries. The two end independently, because each can have a Redis of its own. A failure here neither delays
// ingest nor loses a payment: a batch that was announced is marked, and the sweeper announces the others. What was not enqueued
// is overdue soon, and the workers' sweeper enqueues the delivery. The sweeper does not announce life-cycle events again: the
// pods look at their subscribers' policies themselves.
import type { DeliveryRef } from '@payment-tracking/contracts'
import type { Announcement, CommitSignal } from '@payment-tracking/redis'
import type { Logger } from '@payment-tracking/runtime'
import { markRelayed, removeAnnouncements, type CommittedChanges } from '@payment-tracking/store/ingest'
import { type Store } from '@payment-tracking/store/core'

/** Where the relay sends: Redis pub/sub and the queue. Both reject when Redis is away. */
export interface RelaySinks {
  announce(announcement: Announcement & { epoch: string }): Promise<unknown>
  enqueue(deliveries: readonly DeliveryRef[]): Promise<unknown>
  /** Best effort. */
  signalCommit(signal: CommitSignal): Promise<unknown>
}

/** Relays that may wait for each of the two. The sweepers do the rest later, so that memory stays bounded. */
const MOST_PENDING = 50

export class OutboxRelay {
  readonly #announcing = new Set<Promise<void>>()
  readonly #enqueueing = new Set<Promise<void>>()

  constructor(
    private readonly store: Store,
    private readonly sinks: RelaySinks,
    private readonly log: Logger,
  ) {}

  /** Starts to relay committed batches; returns at once. */
  start(committed: readonly CommittedChanges[]): void {
    const committedAtMs = Date.now()
    this.#begin(this.#announcing, 'announce', () => this.#announce(committed, committedAtMs))
    this.#begin(this.#enqueueing, 'enqueue', () =>
      this.sinks.enqueue(committed.flatMap(batch => batch.deliveries)),
    )
  }

  /** Resolves when every started relay has ended, successfully or not. */
  async drain(): Promise<void> {
    await Promise.all([...this.#announcing, ...this.#enqueueing])
  }

  #begin(pending: Set<Promise<void>>, sink: keyof RelaySinks, send: () => Promise<unknown>): void {
    if (pending.size >= MOST_PENDING) return
    const run = send()
      .then(() => {})
      .catch((err: unknown) => this.log.warn({ err, sink }, 'batch.relay-failed'))
      .finally(() => pending.delete(run))
    pending.add(run)
  }

  async #announce(committed: readonly CommittedChanges[], committedAtMs: number): Promise<void> {
    await Promise.all([
      this.sinks.signalCommit({
        position:
          committed.findLast(({ lastPosition }) => lastPosition !== null)?.lastPosition?.toString() ?? null,
        gateways: [...new Set(committed.flatMap(({ feeds }) => feeds))],
      }),
      ...committed.map(({ epoch, payments, retractions, lifecycles, expectations }) =>
        this.sinks.announce({ epoch, payments, retractions, lifecycles, expectations, committedAtMs }),
      ),
    ])
    await removeAnnouncements(
      this.store,
      committed.flatMap(batch => batch.announcementIds),
    )
    await markRelayed(
      this.store,
      committed.map(batch => batch.batchId).filter(id => id !== null),
    )
  }
}
