// Whose turn it is: a connection has one request in work, a client a few. The rest wait here and hold no answer.

/** The requests of one client: those in work, and those that wait for one of them to end. */
interface Client {
  inWork: number
  readonly waiting: (() => void)[]
}

export class ClientTurns {
  readonly #clients = new Map<string, Client>()

  /** @param limit how many requests of one client may be in work */
  constructor(private readonly limit: number) {}

  /** How many clients have requests in work. */
  get size(): number {
    return this.#clients.size
  }

  /** Resolves when the client may have one more request in work. Each call needs one `leave`, also when it waits. */
  enter(client: string): Promise<void> {
    const known = this.#clients.get(client) ?? { inWork: 0, waiting: [] }
    this.#clients.set(client, known)
    if (known.inWork < this.limit) {
      known.inWork += 1
      return Promise.resolve()
    }
    return new Promise(resolve => known.waiting.push(resolve))
  }

  /** Gives the turn of a request to the one that waits longest. */
  leave(client: string): void {
    const known = this.#clients.get(client)!
    const next = known.waiting.shift()
    if (next) return next()
    known.inWork -= 1
    if (known.inWork === 0) this.#clients.delete(client)
  }
}
