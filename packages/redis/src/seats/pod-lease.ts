// The lease of this pod, under which all its seats live: kept by renewing, and begun anew after a fence.
//
// A pod begins under a new name each time, `<node>~<number>`: the old name's seats may be gone, and where they
// are still there they are swapped for new ones, which needs no free seat.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { RedisEvictionError } from '@payment-tracking/runtime'
import { RedisUnavailableError } from '../errors.js'
import type { Fence } from './fence.js'
import type { Held, HeldSeats } from './held-seats.js'
import type { LeaseCall, LeaseLink } from './lease-link.js'
import { memberOf, partsOf, type SeatRequest } from './seat.js'

/** A renewal may fail twice in a row before the pod fences itself. */
const RENEWALS_PER_LEASE = 4
/** Seats are checked against Redis this often, and their keys' expiry moved on. */
const AUDIT_INTERVAL_MS = 3_600_000

export interface PodLeaseOptions {
  link: LeaseLink
  fence: Fence
  held: HeldSeats
  leaseMs: number
  /**
   * Calls `initialise` when leases were never used before, and remembers for ever that they were, outside of
   * Redis. An empty Redis is otherwise one that lost its data, which keeps newcomers out for a lease time.
   */
  firstUse: (initialise: () => Promise<void>) => Promise<void>
  onError: (error: unknown) => void
}

export class PodLease {
  readonly #options: PodLeaseOptions
  /** This process, for other pods. */
  readonly node = randomBytes(9).toString('base64url')
  #begun = 0
  /** Names this pod had before, which Redis may still count among the living. */
  #oldNames: string[] = []
  #known = false
  /** The generation of Redis' data in which all seats of this pod are known to be written. */
  #restored = ''
  /** Seats to give up that the last renewal named and the next one confirms. */
  #heard: readonly string[] = []
  #auditAtMs = performance.now() + AUDIT_INTERVAL_MS
  #stopped = false
  #problem: Error | null = null
  #loop: Promise<void> = Promise.resolve()
  #signal: () => void = () => {}

  constructor(options: PodLeaseOptions) {
    this.#options = options
  }

  /** The name that seats are taken under now. */
  get pod(): string {
    return `${this.node}~${this.#begun}`
  }

  /** Why the lease could not be renewed or begun the last time; null when it could. */
  get problem(): Error | null {
    return this.#problem
  }

  start(): void {
    this.#loop = this.#keepRenewing()
  }

  /** Renews, or begins anew, at once. */
  signal(): void {
    this.#signal()
  }

  /** Ends the pod in Redis: all its seats are free at once. */
  async close(): Promise<void> {
    this.#stopped = true
    this.#signal()
    await this.#loop
    await this.#options.link.call(this.#call('leave', [])).catch(() => {})
  }

  #call(op: LeaseCall['op'], rest: LeaseCall['rest']): LeaseCall {
    return { op, pod: this.pod, name: '', rest }
  }

  async #keepRenewing(): Promise<void> {
    const { link, fence, leaseMs, onError } = this.#options
    while (!this.#stopped) {
      try {
        await link.checkKeepsSeats()
        if (fence.mayDeliver()) await this.#renew()
        else await this.#begin()
        this.#problem = null
      } catch (error) {
        this.#problem = error as Error
        // Seats of this pod may be gone already, and given to others.
        if (error instanceof RedisEvictionError && fence.mayDeliver()) fence.fall()
        onError(error)
      }
      const pauseMs = fence.mayDeliver() ? leaseMs / RENEWALS_PER_LEASE : Math.min(500, leaseMs / 8)
      const waiting = new AbortController()
      this.#signal = () => waiting.abort()
      if (!this.#stopped) await sleep(pauseMs, undefined, { signal: waiting.signal }).catch(() => {})
    }
  }

  async #renew(): Promise<void> {
    const { link, fence, held } = this.#options
    for (let round = 0; round < 2; round++) {
      const sentAtMs = performance.now()
      const unfenced = fence.mayDeliver() ? '1' : '0'
      const answer = await link.call(this.#call('renew', [this.#restored, unfenced, ...this.#heard]))
      const [result, ...rest] = answer as string[]
      if (result === 'expired') return fence.fall()
      if (result === 'renewed') {
        for (const member of rest) held.lose(member, 'taken-over')
        this.#heard = rest
        fence.extend(sentAtMs)
        await held.retryReleases()
        if (performance.now() > this.#auditAtMs) await this.#restore(this.#restored)
        return
      }
      await this.#restore(rest[0]!)
    }
  }

  /** Writes every seat again. A seat that is not free any more is lost. */
  async #restore(generation: string): Promise<void> {
    const { link, held } = this.#options
    const byName = new Map<string, Held[]>()
    for (const seat of held.all()) {
      const list = byName.get(seat.request.name)
      if (list) list.push(seat)
      else byName.set(seat.request.name, [seat])
    }
    const calls = [...byName].map(([name, list]): LeaseCall => {
      const members = list.map(({ member }) => member)
      return { op: 'restore', pod: this.pod, name, rest: [list[0]!.request.limit, ...members] }
    })
    for (const refused of await link.callAll(calls)) {
      for (const member of refused as string[]) held.lose(member, 'full')
    }
    if (this.#restored !== generation) held.doubtReleases()
    this.#restored = generation
    this.#auditAtMs = performance.now() + AUDIT_INTERVAL_MS
  }

  /** Starts a lease under a new name and takes every seat back. Throws while Redis does not allow that. */
  async #begin(): Promise<void> {
    const { link, held, firstUse } = this.#options
    if (!this.#known) {
      await firstUse(async () => {
        await link.call(this.#call('init', []))
      })
      this.#known = true
    }
    if (this.#begun > 0) this.#oldNames.push(this.pod)
    this.#begun++
    held.forgetReleases()
    let sentAtMs = performance.now()
    const [, generation] = await link.call(this.#call('join', []))
    this.#restored = generation as string
    this.#heard = []
    const before = held.all()
    const calls = before.map(({ member, request }) => {
      const { addressTag, secret } = partsOf(member)
      return acquireOf(memberOf(this.pod, addressTag, secret), request, { resume: secret, isHeld: true })
    })
    const answers = await link.callAll(calls, async () => {
      // Taking back thousands of seats must end before the lease does.
      sentAtMs = await this.#keepAlive(sentAtMs)
    })
    let postponed = false
    for (const [index, answer] of answers.entries()) {
      const [result] = answer as [string]
      this.#takeBack(before[index]!, calls[index]!.rest[0] as string, result)
      postponed ||= !['granted', 'full', 'address-full'].includes(result)
    }
    if (postponed) throw new RedisUnavailableError('seats cannot be taken back yet')
    // Seats that were not taken back are free at once, and no pod waits for the lease of a name that has ended.
    await link.callAll(this.#oldNames.map(pod => ({ op: 'leave', pod, name: '', rest: [] })))
    this.#oldNames = []
    // A client can have taken a seat over since this pod took it back in Redis, before the answer came: the message about it
    // named a seat that this pod did not know yet. The renewal that lifts the fence names it.
    await this.#renew()
  }

  /** @param member what the seat is called now, if it was granted again */
  #takeBack(seat: Held, member: string, result: string): void {
    const { held } = this.#options
    if (!held.remove(seat)) {
      // It was released meanwhile, under its old name.
      if (result === 'granted') held.release(member, seat.request.name)
      return
    }
    if (result === 'full' || result === 'address-full') return seat.request.onLost('full')
    if (result === 'granted') seat.member = member
    held.add(seat)
  }

  async #keepAlive(sentAtMs: number): Promise<number> {
    if (performance.now() - sentAtMs < this.#options.leaseMs / RENEWALS_PER_LEASE) return sentAtMs
    const now = performance.now()
    const [result] = await this.#options.link.call(this.#call('renew', [this.#restored, '0']))
    if (result !== 'renewed') throw new RedisUnavailableError('Redis lost its data meanwhile')
    return now
  }
}

/**
 * @param from `resume`: the secret of a seat that this one takes the place of; empty: none. `isHeld`: this pod has had the
 *   seat all along and could not send meanwhile
 */
export function acquireOf(
  member: string,
  request: SeatRequest,
  { resume, isHeld }: { resume: string; isHeld: boolean },
): LeaseCall {
  const { name, limit, addressLimit = 0 } = request
  return {
    op: 'acquire',
    pod: partsOf(member).pod,
    name,
    rest: [member, limit, addressLimit, resume, isHeld ? '1' : '0'],
  }
}
