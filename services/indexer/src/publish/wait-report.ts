import type { KeyValue } from '@payment-tracking/bus'
import { repeat, type Logger } from '@payment-tracking/runtime'
import type { Waits } from '../nodes/waits.js'

const EVERY_MS = 2_000
const STOP_WITHIN_MS = 1_000
const KEY = 'waiting'

/** Writes what the indexer waits for beside the checkpoint, where the operators' dashboard reads it. */
export class WaitReport {
  #written = 'null'
  #revision: number | undefined
  readonly #checks

  constructor(
    private readonly keys: KeyValue,
    private readonly waits: Pick<Waits, 'longest'>,
    log: Logger,
  ) {
    this.#checks = repeat({
      everyMs: EVERY_MS,
      firstAfterMs: 0,
      stopWithinMs: STOP_WITHIN_MS,
      run: () => this.#write(),
      onError: err => {
        this.#revision = undefined
        log.debug({ err }, 'indexer.wait-not-reported')
      },
    })
  }

  start = () => this.#checks.start()
  stop = () => this.#checks.stop()

  async #write(): Promise<void> {
    if (this.#revision === undefined) {
      const entry = await this.keys.get(KEY)
      this.#revision = entry?.revision ?? 0
      this.#written = entry?.value ?? 'null'
    }
    const value = JSON.stringify(this.waits.longest() ?? null)
    if (value === this.#written) return
    this.#revision = await this.keys.set(KEY, value, this.#revision)
    this.#written = value
  }
}
