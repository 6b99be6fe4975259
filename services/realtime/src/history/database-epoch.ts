// Which database this pod serves. In another epoch, a `seq` may name another payment: the database lost commits, or is
// another one. A pod that finds another epoch ends, and everything it sent and answered is of one epoch.
import { repeat, type Logger, type RepeatedTask } from '@payment-tracking/runtime'
import { findStaleTrackings } from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'

export interface DatabaseEpochOptions {
  store: Store
  log: Logger
  /** The database lost commits or was replaced: this pod's knowledge of payments is invalid. */
  onOtherDatabase: (error: Error) => void
}

/** The pod notices a replaced database within this time, however often rooms are compared with the store. */
const CHECK_EVERY_MS = 2_000
const STOP_WITHIN_MS = 1_000

export class DatabaseEpoch {
  readonly #options: DatabaseEpochOptions
  #epoch: string | undefined
  #makeKnown!: () => void
  /** Resolves when the epoch is known. Until then, announced payments are not sent. */
  readonly known = new Promise<void>(resolve => (this.#makeKnown = resolve))
  #checking: Promise<void> | undefined
  readonly #checks: RepeatedTask

  constructor(options: DatabaseEpochOptions) {
    this.#options = options
    this.#checks = repeat({
      everyMs: CHECK_EVERY_MS,
      firstAfterMs: 0,
      stopWithinMs: STOP_WITHIN_MS,
      run: () => this.#check(),
      onError: () => {},
    })
  }

  start = () => this.#checks.start()
  stop = () => this.#checks.stop()

  /** Whether payments that were announced with this epoch may be sent. Another epoch makes the pod look at the database. */
  accepts(epoch: string): boolean {
    if (epoch === this.#epoch) return true
    void this.#check()
    return false
  }

  /**
   * Whether what was read from the database may be sent.
   * @param epoch read from the database, not announced: the first one is the pod's, and another one ends the pod
   */
  serves(epoch: string): boolean {
    if (epoch === this.#epoch) return true
    if (this.#epoch !== undefined) {
      this.#options.onOtherDatabase(new Error('the database lost commits, or was replaced by another one'))
      return false
    }
    this.#epoch = epoch
    this.#makeKnown()
    return true
  }

  #check(): Promise<void> {
    this.#checking ??= findStaleTrackings(this.#options.store, [])
      .then(
        ({ epoch }) => void this.serves(epoch),
        (err: unknown) => this.#options.log.debug({ err }, 'rooms.epoch-not-read'),
      )
      .finally(() => (this.#checking = undefined))
    return this.#checking
  }
}
