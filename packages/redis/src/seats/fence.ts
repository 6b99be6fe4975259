// Whether this pod may send.
//
//   fenced --extend--> holding --no renewal in time--> fenced
//
// A fenced pod sends nothing and admits nobody, because other pods may hold its seats by now. Its connections stay
// open, and they receive the payments they missed when the fence is lifted. The fence falls before Redis frees the
// seats: its time runs on the monotonic clock from the moment the last renewal was *sent*, and ends a margin earlier
// than the lease. It needs no timer: the pod asks before each payment, so a process that was stopped for a minute finds
// itself fenced when it continues.

/** For the clocks of pod and Redis, which tick apart, and for what was being sent when the fence fell. */
const MARGIN = 0.2

export interface FenceOptions {
  leaseMs: number
  /** The fence fell; also said when the pod finds out late. */
  onFenced: () => void
  /** The fence was lifted after it had fallen. */
  onLifted: () => void
}

export class Fence {
  readonly #options: FenceOptions
  #fallsAtMs = 0
  #state: 'fenced' | 'holding' | 'closed' = 'fenced'

  constructor(options: FenceOptions) {
    this.#options = options
  }

  /** Asked before each payment. */
  mayDeliver(): boolean {
    if (performance.now() < this.#fallsAtMs) return true
    if (this.#state === 'holding') this.fall()
    return false
  }

  fall(): void {
    if (this.#state !== 'holding') return
    this.#state = 'fenced'
    this.#fallsAtMs = 0
    this.#options.onFenced()
  }

  /** The lease runs from when the renewal was sent: Redis' clock starts later, never earlier. */
  extend(sentAtMs: number): void {
    if (this.#state === 'closed') return
    this.#fallsAtMs = sentAtMs + this.#options.leaseMs * (1 - MARGIN)
    if (this.#state === 'holding') return
    this.#state = 'holding'
    this.#options.onLifted()
  }

  /** Falls for good, without a word: the pod ends. */
  close(): void {
    this.#state = 'closed'
    this.#fallsAtMs = 0
  }
}
