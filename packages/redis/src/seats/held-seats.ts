// The seats of this pod's clients, and those they gave up that Redis may still count.
import type { LeaseCall, LeaseLink } from './lease-link.js'
import { partsOf, type LostReason, type SeatRequest } from './seat.js'

export interface Held {
  member: string
  readonly request: SeatRequest
}

export class HeldSeats {
  readonly #link: LeaseLink
  readonly #leaseMs: number
  readonly #held = new Map<string, Held>()
  /** Members whose release Redis has not confirmed. */
  readonly #toRelease = new Map<string, string>()
  /** What was given up lately: a failover may have lost that, and nobody else would free the seat again. */
  readonly #given = new Map<string, { name: string; atMs: number }>()

  constructor(link: LeaseLink, leaseMs: number) {
    this.#link = link
    this.#leaseMs = leaseMs
  }

  get size(): number {
    return this.#held.size
  }

  all(): Held[] {
    return [...this.#held.values()]
  }

  add(held: Held): void {
    this.#held.set(held.member, held)
  }

  /** @returns false when it is not held any more */
  remove(held: Held): boolean {
    return this.#held.get(held.member) === held && this.#held.delete(held.member)
  }

  /** The holder needs it no longer. Giving back twice is giving back once. */
  giveBack(held: Held): void {
    if (this.remove(held)) this.release(held.member, held.request.name)
  }

  /** Redis, or another pod, says that the seat is another's now. */
  lose(member: string, reason: LostReason): void {
    const held = this.#held.get(member)
    if (!held) return
    this.#held.delete(member)
    this.#given.set(member, { name: held.request.name, atMs: performance.now() })
    held.request.onLost(reason)
  }

  /** Frees a seat in Redis: now, and with the next renewals when that fails. */
  release(member: string, name: string): void {
    this.#toRelease.set(member, name)
    this.#given.set(member, { name, atMs: performance.now() })
    this.#link.call(releaseOf(member, name)).then(
      () => this.#toRelease.delete(member),
      () => {},
    )
  }

  /** Tries again what was not confirmed. @throws RedisUnavailableError */
  async retryReleases(): Promise<void> {
    const oldestMs = performance.now() - 2 * this.#leaseMs
    // Maps keep the order of insertion: the oldest come first.
    for (const [member, { atMs }] of this.#given) {
      if (atMs > oldestMs) break
      this.#given.delete(member)
    }
    if (this.#toRelease.size === 0) return
    const open = [...this.#toRelease]
    await this.#link.callAll(open.map(([member, name]) => releaseOf(member, name)))
    for (const [member] of open) this.#toRelease.delete(member)
  }

  /** Redis may have forgotten what was given up lately: it is released again with the next renewal. */
  doubtReleases(): void {
    for (const [member, { name }] of this.#given) this.#toRelease.set(member, name)
  }

  /** The pod begins under a new name: what it gave up ends with the old one. */
  forgetReleases(): void {
    this.#toRelease.clear()
    this.#given.clear()
  }
}

const releaseOf = (member: string, name: string): LeaseCall => ({
  op: 'release',
  pod: partsOf(member).pod,
  name,
  rest: [member],
})
