// A pod's side of the leases. Longer than other files: fence, renewal and beginning anew are one state, and
// each is only right together with the others.
//
//   fenced --join, take back every seat--> holding --no renewal in time--> fenced
//
// Holding: `mayDeliver()` is true, seats may be acquired. Fenced: nothing is sent and nothing admitted,
// because other pods may have been given our places; connections stay open, and what they missed is healed
// when the fence is lifted. The fence falls before Redis frees the seats: it is counted on the monotonic clock
// from the moment the last renewal was *sent*, and ends a margin earlier than the lease. It needs no timer:
// whoever sends asks first, so a process that was stopped for a minute finds itself fenced when it wakes.
//
// After a fence a pod begins under a new name, `<node>~<number>`: the old name's seats may be gone, and where
// they are still there they are swapped for new ones, which needs no free place.
import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import type { SignalKeys } from '../keys.js'
import { SignalUnavailableError } from '../errors.js'
import { Handovers } from './handovers.js'
import { LeaseLink, type LeaseCall } from './lease-link.js'

/** A renewal may fail twice in a row before the pod fences itself. */
const RENEWALS_PER_LEASE = 4
/** For the clocks of pod and Redis, which tick apart, and for what was being sent when the fence fell. */
const MARGIN = 0.2
/** Seats are checked against Redis this often, and their keys' expiry moved on. */
const AUDIT_INTERVAL_MS = 3_600_000

export interface SeatRequest {
  /** what the places are of, such as a tracking ID */
  name: string
  /** how many places there are, over all pods */
  limit: number
  /** who asks, for `addressLimit` */
  address: string
  /** places for one address; absent: no such limit */
  addressLimit?: number
  /** the secret of a seat that the asker held before: it is taken over wherever it is */
  resume?: string | undefined
  /**
   * The seat is gone: at once nothing of it may be sent any more. `taken-over`: its holder came back on
   * another connection. `full`: there was no place for it after Redis lost its data.
   */
  onLost: (reason: 'taken-over' | 'full') => void
}

export interface Seat {
  /** a secret for the holder alone: whoever knows it may take the seat over */
  readonly resume: string
  /** Gives the place back; in the background, and again later when Redis is away. */
  release(): void
}

export type SeatAnswer = { seat: Seat } | { refused: 'full' | 'address-full' | 'unavailable' }

export interface SeatsOptions {
  redis: Redis
  /** in subscriber mode, shared with others; keeps its commands while Redis is away */
  subscriber: Redis
  keys: SignalKeys
  leaseMs: number
  /** how long one call may wait for Redis */
  timeoutMs: number
  /**
   * Calls `initialise` when leases were never used before, and remembers for ever that they were, outside of
   * Redis. An empty Redis is otherwise one that lost its data, which keeps newcomers out for a lease time.
   */
  firstUse: (initialise: () => Promise<void>) => Promise<void>
  /** The fence fell; also said when the pod finds out late. */
  onFenced: () => void
  /** The fence was lifted after it had fallen. */
  onLifted: () => void
  onError: (error: unknown) => void
}

interface Held {
  member: string
  request: SeatRequest
}

export class Seats {
  readonly #options: SeatsOptions
  readonly #link: LeaseLink
  readonly #handovers: Handovers
  readonly #held = new Map<string, Held>()
  /** Members whose release Redis has not confirmed. */
  readonly #toRelease = new Map<string, string>()
  /** What was given up lately: a failover may have lost that, and nobody else would free the place again. */
  readonly #given = new Map<string, { name: string; atMs: number }>()
  readonly #node = randomBytes(9).toString('base64url')
  #begun = 0
  #pod = `${this.#node}~0`
  #known = false
  /** The generation of Redis' data in which all seats of this pod are known to be written. */
  #restored = ''
  /** Seats to give up that the last renewal told of and the next one confirms. */
  #heard: readonly string[] = []
  #fenceAtMs = 0
  #state: 'fenced' | 'holding' = 'fenced'
  #auditAtMs = performance.now() + AUDIT_INTERVAL_MS
  #stopped = false
  #loop: Promise<void> = Promise.resolve()
  #wake: () => void = () => {}

  constructor(options: SeatsOptions) {
    this.#options = options
    this.#link = new LeaseLink({ ...options, onReady: () => this.#wake() })
    this.#handovers = new Handovers({
      ...options,
      node: this.#node,
      giveUp: member => this.#lose(member, 'taken-over'),
    })
  }

  /** Whether this pod may send. Asked before each payment. */
  mayDeliver(): boolean {
    if (performance.now() < this.#fenceAtMs) return true
    if (this.#state === 'holding') this.#fence()
    return false
  }

  get size(): number {
    return this.#held.size
  }

  start(): void {
    this.#loop = this.#keepRenewing()
  }

  /** Ends the pod: all its places are free at once. Nothing may be sent any more. */
  async close(): Promise<void> {
    this.#stopped = true
    this.#state = 'fenced'
    this.#fenceAtMs = 0
    this.#wake()
    await this.#loop
    await this.#link.call({ op: 'leave', pod: this.#pod, name: '', rest: [] }).catch(() => {})
  }

  /**
   * Takes a place. With `resume` the place of an earlier connection is handed over, also when all are taken;
   * the answer comes when the pod of the earlier connection gave it up or can no longer send.
   * @returns a refusal, also while Redis is away or has lost its data: nothing is thrown
   */
  async acquire(request: SeatRequest): Promise<SeatAnswer> {
    if (!this.mayDeliver()) return { refused: 'unavailable' }
    const secret = randomBytes(16).toString('base64url')
    const member = `${this.#pod}.${tagOf(request.address)}.${secret}`
    let answer: unknown[]
    try {
      answer = await this.#link.call(this.#acquireCall(member, request, request.resume ?? ''))
    } catch (error) {
      // It may have been granted all the same.
      this.#release(member, request.name)
      this.#options.onError(error)
      return { refused: 'unavailable' }
    }
    if (!member.startsWith(`${this.#pod}.`)) {
      // The pod began anew meanwhile, without this seat: it would be sent to and be nobody's.
      this.#release(member, request.name)
      return { refused: 'unavailable' }
    }
    const [result, waitMs, oldPod, oldMember] = answer as [string, number, string, string]
    if (result === 'expired') this.#wake()
    if (result === 'full' || result === 'address-full') return { refused: result }
    if (result !== 'granted') return { refused: 'unavailable' }
    const held: Held = { member, request }
    this.#held.set(member, held)
    if (oldMember !== '') this.#lose(oldMember, 'taken-over')
    if (waitMs > 0) await this.#handovers.wait(nodeOf(oldPod), oldMember, waitMs)
    return { seat: { resume: secret, release: () => this.#giveBack(held) } }
  }

  #acquireCall(member: string, request: SeatRequest, resume: string): LeaseCall {
    const { name, limit, addressLimit = 0 } = request
    const pod = member.slice(0, member.indexOf('.'))
    return { op: 'acquire', pod, name, rest: [member, limit, addressLimit, resume] }
  }

  #giveBack(held: Held): void {
    if (this.#held.get(held.member) !== held) return
    this.#held.delete(held.member)
    this.#release(held.member, held.request.name)
  }

  #release(member: string, name: string): void {
    this.#toRelease.set(member, name)
    this.#given.set(member, { name, atMs: performance.now() })
    this.#link.call({ op: 'release', pod: this.#pod, name, rest: [member] }).then(
      () => this.#toRelease.delete(member),
      // The renewal tries again.
      () => {},
    )
  }

  #lose(member: string, reason: 'taken-over' | 'full'): void {
    const held = this.#held.get(member)
    if (!held) return
    this.#held.delete(member)
    this.#given.set(member, { name: held.request.name, atMs: performance.now() })
    held.request.onLost(reason)
  }

  async #keepRenewing(): Promise<void> {
    const { leaseMs, onError } = this.#options
    while (!this.#stopped) {
      try {
        if (this.mayDeliver()) await this.#renew()
        else await this.#begin()
      } catch (error) {
        onError(error)
      }
      const pauseMs = this.mayDeliver() ? leaseMs / RENEWALS_PER_LEASE : Math.min(500, leaseMs / 8)
      const waiting = new AbortController()
      this.#wake = () => waiting.abort()
      if (!this.#stopped) await sleep(pauseMs, undefined, { signal: waiting.signal }).catch(() => {})
    }
  }

  #fence(): void {
    this.#state = 'fenced'
    this.#fenceAtMs = 0
    this.#options.onFenced()
  }

  /** The lease runs from when the renewal was sent: Redis' clock starts later, never earlier. */
  #extend(sentAtMs: number): void {
    if (this.#stopped) return
    this.#fenceAtMs = sentAtMs + this.#options.leaseMs * (1 - MARGIN)
    if (this.#state === 'holding') return
    this.#state = 'holding'
    this.#options.onLifted()
  }

  async #renew(): Promise<void> {
    for (let round = 0; round < 2; round++) {
      const sentAtMs = performance.now()
      const unfenced = this.mayDeliver() ? '1' : '0'
      const rest = [this.#restored, unfenced, ...this.#heard]
      const call: LeaseCall = { op: 'renew', pod: this.#pod, name: '', rest }
      const [result, ...told] = (await this.#link.call(call)) as string[]
      if (result === 'expired') return this.#fence()
      if (result === 'renewed') {
        for (const member of told) this.#lose(member, 'taken-over')
        this.#heard = told
        this.#extend(sentAtMs)
        await this.#retryReleases()
        if (performance.now() > this.#auditAtMs) await this.#restore(this.#restored)
        return
      }
      await this.#restore(told[0]!)
    }
  }

  /** Writes every seat again. What has no place any more is lost. */
  async #restore(generation: string): Promise<void> {
    const byName = new Map<string, Held[]>()
    for (const held of this.#held.values()) {
      const list = byName.get(held.request.name)
      if (list) list.push(held)
      else byName.set(held.request.name, [held])
    }
    const calls = [...byName].map(([name, list]): LeaseCall => {
      const members = list.map(({ member }) => member)
      return { op: 'restore', pod: this.#pod, name, rest: [list[0]!.request.limit, ...members] }
    })
    for (const refused of await this.#link.callAll(calls)) {
      for (const member of refused as string[]) this.#lose(member, 'full')
    }
    if (this.#restored !== generation) {
      for (const [member, { name }] of this.#given) this.#toRelease.set(member, name)
    }
    this.#restored = generation
    this.#auditAtMs = performance.now() + AUDIT_INTERVAL_MS
  }

  /** Begins as a new pod and takes every seat back. Throws when that is not possible yet. */
  async #begin(): Promise<void> {
    if (!this.#known) {
      await this.#options.firstUse(async () => {
        await this.#link.call({ op: 'init', pod: this.#pod, name: '', rest: [] })
      })
      this.#known = true
    }
    this.#pod = `${this.#node}~${++this.#begun}`
    // They end with the old name.
    this.#toRelease.clear()
    this.#given.clear()
    let sentAtMs = performance.now()
    const [, generation] = await this.#link.call({ op: 'join', pod: this.#pod, name: '', rest: [] })
    this.#restored = generation as string
    this.#heard = []
    const before = [...this.#held.values()]
    const calls = before.map(({ member, request }) => {
      const [, tag, secret] = member.split('.') as [string, string, string]
      return this.#acquireCall(`${this.#pod}.${tag}.${secret}`, request, secret)
    })
    let postponed = false
    const answers = await this.#link.callAll(calls, async () => {
      // Taking back thousands must not outlast the lease it is done under.
      sentAtMs = await this.#keepAlive(sentAtMs)
    })
    for (const [index, answer] of answers.entries()) {
      const held = before[index]!
      const [result] = answer as [string]
      if (!this.#held.delete(held.member)) {
        // It was released meanwhile, under its old name.
        if (result === 'granted') this.#release(calls[index]!.rest[0] as string, held.request.name)
        continue
      }
      if (result === 'granted') held.member = calls[index]!.rest[0] as string
      if (result === 'full' || result === 'address-full') {
        held.request.onLost('full')
        continue
      }
      if (result !== 'granted') postponed = true
      this.#held.set(held.member, held)
    }
    if (postponed) throw new SignalUnavailableError('seats cannot be taken back yet')
    this.#extend(sentAtMs)
  }

  async #keepAlive(sentAtMs: number): Promise<number> {
    if (performance.now() - sentAtMs < this.#options.leaseMs / RENEWALS_PER_LEASE) return sentAtMs
    const now = performance.now()
    const call: LeaseCall = { op: 'renew', pod: this.#pod, name: '', rest: [this.#restored, '0'] }
    const [result] = await this.#link.call(call)
    if (result !== 'renewed') throw new SignalUnavailableError('Redis lost its data meanwhile')
    return now
  }

  async #retryReleases(): Promise<void> {
    const oldestMs = performance.now() - 2 * this.#options.leaseMs
    // Maps keep the order of insertion: the oldest come first.
    for (const [member, { atMs }] of this.#given) {
      if (atMs > oldestMs) break
      this.#given.delete(member)
    }
    if (this.#toRelease.size === 0) return
    const open = [...this.#toRelease]
    const calls = open.map(([member, name]): LeaseCall => ({
      op: 'release',
      pod: this.#pod,
      name,
      rest: [member],
    }))
    await this.#link.callAll(calls)
    for (const [member] of open) this.#toRelease.delete(member)
  }
}

const nodeOf = (pod: string): string => pod.slice(0, pod.indexOf('~'))

/** An address as it may stand in Redis: enough to compare, too little to read. */
const tagOf = (address: string): string =>
  createHash('sha256').update(address).digest('base64url').slice(0, 12)
