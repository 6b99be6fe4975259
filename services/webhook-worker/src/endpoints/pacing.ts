import { setTimeout as sleep } from 'node:timers/promises'
import type { ChosenRates } from './chosen-rates.js'
import type { Clock, Deferral } from './permits.js'
import { Returns } from './returns.js'

/** How long at least a delivery is deferred that finds nothing left of the cap. */
const AGAIN_MS = 250

export interface PacingParts {
  webhookId: string
  maxPerSecond: number
  rates: ChosenRates
  /** @returns the rate that the gateway chose; null: none */
  readRate: (webhookId: string) => Promise<number | null>
}

/**
 * Requests a second to one endpoint: the cap of this process, and the rate that the gateway chose, which counts over all
 * processes (chosen-rates.ts).
 */
export class Pacing {
  readonly #parts: PacingParts
  readonly #clock: Clock
  readonly #returns: Returns
  /** undefined: not known yet */
  #chosen: number | null | undefined
  /** the earliest time of the next request under the cap */
  #nextAtMs = 0

  constructor(parts: PacingParts, clock: Clock) {
    this.#parts = parts
    this.#clock = clock
    this.#returns = new Returns(clock)
  }

  /** Reads the chosen rate before the first request. @throws when the database is away */
  async learn(): Promise<void> {
    if (this.#chosen === undefined) this.setRate(await this.#parts.readRate(this.#parts.webhookId))
  }

  setRate(perSecond: number | null): void {
    this.#chosen = perSecond
  }

  /** Takes one request from the chosen rate, and waits for its moment if that is soon. @returns null: it may go */
  async takeChosen(): Promise<Deferral | null> {
    const { webhookId, rates } = this.#parts
    const chosen = this.#chosen
    if (chosen === null || chosen === undefined) return null
    const { free, inMs } = await rates.take({ id: webhookId, perSecond: chosen })
    if (!free) return { kind: 'defer', forMs: inMs, reason: 'rate cap' }
    if (inMs > 0) await sleep(inMs)
    return null
  }

  /** Takes one request from the cap of this process. A burst may use what the last second left. */
  takeOwn(): Deferral | null {
    const intervalMs = 1_000 / this.#parts.maxPerSecond
    const now = this.#clock.now()
    const nextAtMs = Math.max(this.#nextAtMs, now - 1_000) + intervalMs
    if (nextAtMs > now) return this.#returns.next('rate cap', AGAIN_MS, intervalMs)
    this.#nextAtMs = nextAtMs
    return null
  }

  /** Gives out no slot of the chosen rate for so long, to no worker. */
  pause(forMs: number): Promise<void> {
    return this.#parts.rates.pause(this.#parts.webhookId, forMs)
  }
}
