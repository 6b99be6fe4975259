/** Calls that wait, the oldest first. A call that has waited for `patienceMs` decides whether it waits on. */
export class PatientQueue<T> {
  readonly #waiting: (() => void)[] = []
  readonly #patienceMs: number

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs
  }

  get length(): number {
    return this.#waiting.length
  }

  /**
   * @param reached makes the answer when `next` reaches the call
   * @param late makes the answer when the call has waited for `patienceMs`; undefined: it waits that long again
   */
  wait(reached: () => T, late: () => T | undefined): Promise<T> {
    return new Promise(resolve => {
      const proceed = () => {
        clearInterval(timer)
        resolve(reached())
      }
      const timer = setInterval(() => {
        const answer = late()
        if (answer === undefined) return
        clearInterval(timer)
        this.#waiting.splice(this.#waiting.indexOf(proceed), 1)
        resolve(answer)
      }, this.#patienceMs)
      this.#waiting.push(proceed)
    })
  }

  /** Lets the oldest call go on, if there is one. */
  next(): void {
    this.#waiting.shift()?.()
  }
}
