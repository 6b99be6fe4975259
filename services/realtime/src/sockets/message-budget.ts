/** A token bucket: `burst` messages at once, `perSecond` on average. The caller passes the time. */
export class MessageBudget {
  readonly #perSecond: number
  readonly #burst: number
  #tokens: number
  #atMs: number

  constructor(perSecond: number, burst: number, nowMs: number) {
    this.#perSecond = perSecond
    this.#burst = burst
    this.#tokens = burst
    this.#atMs = nowMs
  }

  /**
   * @returns `within`, `over`, or `far-over` when the client exceeds the burst by as many messages again and ignores
   *   the refusals
   */
  spend(nowMs: number): 'within' | 'over' | 'far-over' {
    const earned = ((nowMs - this.#atMs) / 1_000) * this.#perSecond
    this.#atMs = nowMs
    this.#tokens = Math.min(this.#burst, this.#tokens + earned) - 1
    if (this.#tokens >= 0) return 'within'
    return this.#tokens < -this.#burst ? 'far-over' : 'over'
  }
}
