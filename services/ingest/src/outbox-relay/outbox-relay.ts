// After commit: tell the realtime pods, wake the webhook workers, mark the batch. Nothing here may hold ingest
// up or lose a payment: what fails or is cut off by a crash stays unmarked, and the sweeper does it again.
import type { DeliveryRef, PaymentFacts } from '@payment-tracking/contracts'
import type { Logger } from '@payment-tracking/runtime'
import { markHandedOver, type CommittedBatch, type Store } from '@payment-tracking/store'

export interface Outlets {
  announce(payments: readonly PaymentFacts[], committedAt: Date): Promise<unknown>
  enqueue(deliveries: readonly DeliveryRef[]): Promise<unknown>
}

/** Batches that may wait for Redis; beyond them the sweeper takes over, so that memory stays bounded. */
const MOST_PENDING = 50

export class HandOver {
  readonly #pending = new Set<Promise<void>>()

  constructor(
    private readonly store: Store,
    private readonly outlets: Outlets,
    private readonly log: Logger,
  ) {}

  /** Begins to hand over what was committed; returns at once. */
  begin(committed: readonly CommittedBatch[]): void {
    if (this.#pending.size >= MOST_PENDING) return
    const run = this.#run(committed, new Date()).finally(() => this.#pending.delete(run))
    this.#pending.add(run)
  }

  /** Resolves when everything begun is done or given up. */
  async settle(): Promise<void> {
    await Promise.all(this.#pending)
  }

  async #run(committed: readonly CommittedBatch[], committedAt: Date): Promise<void> {
    try {
      const payments = committed.flatMap(batch => batch.payments)
      const deliveries = committed.flatMap(batch => batch.deliveries)
      await Promise.all([this.outlets.announce(payments, committedAt), this.outlets.enqueue(deliveries)])
      await markHandedOver(
        this.store,
        committed.map(batch => batch.batchId).filter(id => id !== null),
      )
    } catch (err) {
      this.log.warn({ err }, 'batch.hand-over-failed')
    }
  }
}
