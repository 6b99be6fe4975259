// Caps how many requests of one client run at once. The others wait in order of arrival, and hold no response yet.

/** The requests of one client: those that run, and those that wait for one of them to end. */
interface Client {
  running: number
  readonly waiting: (() => void)[]
}

export class ClientConcurrency {
  readonly #clients = new Map<string, Client>()

  /** @param limit how many requests of one client may run at once */
  constructor(private readonly limit: number) {}

  /** How many clients have running requests. */
  get size(): number {
    return this.#clients.size
  }

  /** Resolves when the client may run one more request. Each call needs one `leave`, also a call that still waits. */
  enter(client: string): Promise<void> {
    const known = this.#clients.get(client) ?? { running: 0, waiting: [] }
    this.#clients.set(client, known)
    if (known.running < this.limit) {
      known.running += 1
      return Promise.resolve()
    }
    return new Promise(resolve => known.waiting.push(resolve))
  }

  /** Ends one request: the one that has waited longest starts. */
  leave(client: string): void {
    const known = this.#clients.get(client)!
    const next = known.waiting.shift()
    if (next) return next()
    known.running -= 1
    if (known.running === 0) this.#clients.delete(client)
  }
}
