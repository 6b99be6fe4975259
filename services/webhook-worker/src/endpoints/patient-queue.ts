/** Calls that wait, the oldest first. A call that has waited for `patienceMs` goes on by itself. */
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
   * @param late makes the answer when the call has waited for too long
   */
  wait(reached: () => T, late: () => T): Promise<T> {
    return new Promise(resolve => {
      const proceed = () => {
        clearTimeout(timer)
        resolve(reached())
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(proceed), 1)
        resolve(late())
      }, this.#patienceMs)
      this.#waiting.push(proceed)
    })
  }

  /** Lets the oldest call go on, if there is one. */
  next(): void {
    this.#waiting.shift()?.()
  }
}
