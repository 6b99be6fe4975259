/** Whose turn it is in one process: kinds of work take turns, and in each kind gateways do. */
export class WorkOrder {
  readonly #last = new Map<string, { page: number; gateway: string }>()
  #pages = 0

  /** Of the last page of a kind. */
  lastOf(kind: string): { lastPage: number; lastGateway: string } {
    const { page = 0, gateway = '' } = this.#last.get(kind) ?? {}
    return { lastPage: page, lastGateway: gateway }
  }

  note(kind: string, gateway: string): void {
    // The number is sent as a 4-byte integer.
    this.#pages = (this.#pages + 1) % 2 ** 31
    this.#last.set(kind, { page: this.#pages, gateway })
  }
}
