import type { ClaimedDelivery } from '@payment-tracking/store/deliveries'

/** Of so many webhooks the last reading is kept. A delivery of another webhook has it read again, when its own claim is too old. */
const KEPT = 10_000

type Reading = Pick<ClaimedDelivery, 'activation' | 'endpointUrl' | 'secrets'>

/**
 * When each webhook was last read, and as what. Under load a claimed delivery waits for its turn; a later claim that read the same says
 * that the webhook has not changed meanwhile.
 */
export class Readings {
  /** those that were read last are last */
  readonly #last = new Map<bigint, Reading & { atMs: number }>()

  /** @param atMs of `performance.now()`, before the statement that read */
  note({ webhookId, activation, endpointUrl, secrets }: Reading & { webhookId: bigint }, atMs: number): void {
    if (atMs < (this.#last.get(webhookId)?.atMs ?? 0)) return
    this.#last.delete(webhookId)
    this.#last.set(webhookId, { activation, endpointUrl, secrets, atMs })
    if (this.#last.size > KEPT) this.#last.delete(this.#last.keys().next().value!)
  }

  /** @returns when the webhook of a delivery was last read as its claim has it; -Infinity: it was read as something else since, or never */
  lastMs(claimed: Reading & { webhookId: bigint }): number {
    const last = this.#last.get(claimed.webhookId)
    return last?.activation === claimed.activation &&
      last.endpointUrl === claimed.endpointUrl &&
      last.secrets[0] === claimed.secrets[0]
      ? last.atMs
      : -Infinity
  }
}
