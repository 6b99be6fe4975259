// The seats that this pod gives its clients. All pods together never give more seats than there are. Four
// files keep that limit: the lease of the pod, the fence that stops sending when the lease is not renewed, the seats
// this pod holds, and the takeover of a seat by another pod.
import { randomBytes } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { RedisKeys } from '../keys.js'
import { Fence, type FenceOptions } from './fence.js'
import { SeatTakeovers } from './seat-takeovers.js'
import { HeldSeats, type Held } from './held-seats.js'
import { LeaseLink } from './lease-link.js'
import { acquireOf, PodLease, type PodLeaseOptions } from './pod-lease.js'
import { memberOf, partsOf, tagOf, type SeatAnswer, type SeatRequest } from './seat.js'

export interface SeatsOptions extends FenceOptions, Pick<PodLeaseOptions, 'firstUse' | 'onError'> {
  redis: Redis
  /** in subscriber mode, shared with others; keeps its commands while Redis is away */
  subscriber: Redis
  keys: RedisKeys
  /** how long one call may wait for Redis */
  timeoutMs: number
}

export class Seats {
  readonly #onError: SeatsOptions['onError']
  readonly #link: LeaseLink
  readonly #fence: Fence
  readonly #held: HeldSeats
  readonly #lease: PodLease
  readonly #takeovers: SeatTakeovers

  constructor(options: SeatsOptions) {
    this.#onError = options.onError
    this.#fence = new Fence(options)
    this.#link = new LeaseLink({ ...options, onReady: () => this.#lease.signal() })
    this.#held = new HeldSeats(this.#link, options.leaseMs)
    this.#lease = new PodLease({ ...options, link: this.#link, fence: this.#fence, held: this.#held })
    this.#takeovers = new SeatTakeovers({
      ...options,
      node: this.#lease.node,
      giveUp: member => this.#held.lose(member, 'taken-over'),
    })
  }

  /** Whether this pod may send. Asked before each payment. */
  mayDeliver(): boolean {
    return this.#fence.mayDeliver()
  }

  /** Why this pod may not send, when Redis is the cause. */
  get problem(): Error | null {
    return this.#lease.problem
  }

  get size(): number {
    return this.#held.size
  }

  start(): void {
    this.#lease.start()
  }

  /** Ends the pod: all its seats are free at once. Nothing may be sent any more. */
  async close(): Promise<void> {
    this.#fence.close()
    await this.#lease.close()
  }

  /**
   * Takes a seat. With `resume` this connection takes over the seat of an earlier one, also when all are taken;
   * the answer comes when the pod of the earlier connection gave it up or can no longer send.
   * @returns a refusal, also while Redis is away or has lost its data: nothing is thrown
   */
  async acquire(request: SeatRequest): Promise<SeatAnswer> {
    if (!this.mayDeliver()) return { refused: 'unavailable' }
    const secret = randomBytes(16).toString('base64url')
    const { pod } = this.#lease
    const member = memberOf(pod, tagOf(request.networks), secret)
    let answer: unknown[]
    try {
      answer = await this.#link.call(
        acquireOf(member, request, { resume: request.resume ?? '', isHeld: false }),
      )
    } catch (error) {
      // Redis may have granted the seat all the same.
      this.#held.release(member, request.name)
      this.#onError(error)
      return { refused: 'unavailable' }
    }
    if (pod !== this.#lease.pod) {
      // The pod started a new lease meanwhile, without this seat: the client would be sent payments without a seat.
      this.#held.release(member, request.name)
      return { refused: 'unavailable' }
    }
    const [result, waitMs, oldPod, oldMember] = answer as [string, number, string, string]
    if (result === 'expired') this.#lease.signal()
    if (result === 'full' || result === 'address-full') return { refused: result }
    if (result !== 'granted') return { refused: 'unavailable' }
    const held: Held = { member, request }
    this.#held.add(held)
    if (oldMember !== '') this.#held.lose(oldMember, 'taken-over')
    if (waitMs > 0) {
      const confirmed = await this.#takeovers.wait(nodeOf(oldPod), oldMember, waitMs)
      if (!confirmed && !(await this.#holds(held))) {
        this.#held.giveBack(held)
        return { refused: 'unavailable' }
      }
    }
    return { seat: { resume: secret, release: () => this.#held.giveBack(held) } }
  }

  /** Whether Redis counts the seat; false also while Redis is away. */
  async #holds({ member, request }: Held): Promise<boolean> {
    const call = { op: 'holds', pod: partsOf(member).pod, name: request.name, rest: [member] } as const
    const answer: unknown = await this.#link.call(call).catch(this.#onError)
    return answer === 1
  }
}

const nodeOf = (pod: string): string => pod.slice(0, pod.indexOf('~'))
