// This process among those that share caps, such as the requests in flight to an endpoint. Each has an equal share of
// every cap, by a lease that covers all caps at once: a request costs Redis nothing, and the number of caps costs nothing.
//
// The shares never add up to more than the cap:
// - A process that comes has no share until every other one has said that it counts the newcomer. A process says so once
//   what it has in use fits its smaller share.
// - A process that goes leaves, or its lease ends. It begins nothing in the last part of its lease, so that all its requests
//   have ended when the lease ends.
// - When a cap cannot be divided evenly, the remainder is given out only while all processes know the same members.
// - After Redis lost data, or another server took its place, each process keeps its share for one lease time.
// So every process that uses a share is counted in every share that is used.
//
// While Redis is away the share stays until the lease ends.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { withDeadline } from '../connection.js'
import { RedisUnavailableError } from '../errors.js'
import type { RedisConnections } from '../open-redis.js'
import { ServerRun } from '../server-run.js'
import { FLEET_SCRIPT } from './fleet-script.js'

export interface FleetOptions {
  redis: Pick<RedisConnections, 'commands' | 'keys'>
  /** what is shared, such as `webhooks` */
  name: string
  leaseMs: number
  /** the longest time that a use of the share lasts */
  longestUseMs: number
  /** whether what is in use fits the share of now */
  fits: () => boolean
  /** runs with each beat that Redis answered */
  onBeat: () => Promise<void>
  onError: (error: unknown) => void
}

/** The members among whom a cap is divided. */
interface Division {
  members: number
  /** this process's place among them, for the remainder of a division; null while others may divide otherwise */
  place: number | null
}

const NO_SHARE: Division = { members: Infinity, place: null }
const BEATS_PER_LEASE = 10
const LONGEST_BEAT_MS = 1_000
const SHARE_LOOK_MS = 20
/** For the clocks of this process and Redis, which tick apart. */
const MARGIN = 0.1

interface WithFleet {
  paymentFleet: (...args: (string | number)[]) => Promise<(string | number)[]>
}

/** FNV-1a: the remainders of different caps go to different members. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

export class Fleet {
  readonly #options: FleetOptions
  readonly #run: ServerRun
  readonly #member = randomBytes(9).toString('base64url')
  readonly #stopping = new AbortController()
  #wake = new AbortController()
  #loop: Promise<void> = Promise.resolve()
  #division = NO_SHARE
  #endsAtMs = 0
  #generation = ''
  /** the version that the last answer told, and the one by which everything in use is shared */
  #told = 0
  #acting = 0

  constructor(options: FleetOptions) {
    this.#options = options
    const { redis, onError } = options
    redis.commands.defineCommand('paymentFleet', { numberOfKeys: 6, lua: FLEET_SCRIPT })
    this.#run = new ServerRun(redis.commands, { onReady: () => this.#wake.abort(), onError })
  }

  start(): void {
    this.#loop = this.#keepBeating()
  }

  /** Gives the share up. Nothing may be in use any more. */
  async close(): Promise<void> {
    this.#stopping.abort()
    this.#wake.abort()
    await this.#loop
    this.#division = NO_SHARE
    await this.#call('leave').catch(() => {})
  }

  /** Resolves when this process has a share, or at `close`. */
  async whenSharing(): Promise<void> {
    while (this.members === 0 && !this.#stopping.signal.aborted)
      await sleep(SHARE_LOOK_MS, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }

  /** Among how many the caps are divided; 0 while this process has no share. */
  get members(): number {
    const { members } = this.#now()
    return members === Infinity ? 0 : members
  }

  /** This process's part of a cap. @param id the remainders of different caps go to different members */
  shareOf(cap: number, id: string): number {
    const { members, place } = this.#now()
    if (members === Infinity) return 0
    const least = Math.floor(cap / members)
    if (place === null) return least
    return least + ((place + hashOf(id)) % members < cap % members ? 1 : 0)
  }

  /** This process's part of a rate, 0 to 1. */
  rateShare(): number {
    return 1 / this.#now().members
  }

  #now(): Division {
    return performance.now() < this.#endsAtMs ? this.#division : NO_SHARE
  }

  async #keepBeating(): Promise<void> {
    const { leaseMs, onBeat, onError } = this.#options
    const pauseMs = Math.min(LONGEST_BEAT_MS, leaseMs / BEATS_PER_LEASE)
    while (!this.#stopping.signal.aborted) {
      this.#wake = new AbortController()
      let again = false
      try {
        again = await this.#beat()
        await onBeat()
      } catch (error) {
        onError(error)
      }
      // What changed is confirmed at once: others wait for it.
      if (!again) await sleep(pauseMs, undefined, { signal: this.#wake.signal }).catch(() => {})
    }
  }

  /** @returns whether there is something to confirm */
  async #beat(): Promise<boolean> {
    const { leaseMs, longestUseMs, fits } = this.#options
    const before = this.#now()
    if (this.#acting !== this.#told && fits()) this.#acting = this.#told
    const sentAtMs = performance.now()
    const confirmed = this.#acting
    const [state, generation, version, members, place, mayShare, settled] = await this.#call('beat')
    this.#endsAtMs = sentAtMs + leaseMs * (1 - MARGIN) - longestUseMs
    if (generation !== this.#generation)
      [this.#generation, this.#acting, this.#told] = [String(generation), 0, 0]
    if (state === 'recovering') {
      this.#division = before
      return false
    }
    this.#told = Number(version)
    this.#division =
      mayShare === 1
        ? { members: Number(members), place: settled === 1 && confirmed === version ? Number(place) : null }
        : { members: Math.max(before.members, Number(members)), place: null }
    return this.#acting !== this.#told && fits()
  }

  async #call(op: 'beat' | 'leave') {
    const { redis, name, leaseMs } = this.#options
    const { commands, keys } = redis
    const keyOf = (part: string) => keys.other('fleet', name, part)
    return withDeadline(
      (commands as unknown as WithFleet).paymentFleet(
        ...['run', 'recovering', 'members', 'acting', 'joined', 'version'].map(keyOf),
        ...[op, this.#run.id, leaseMs, this.#member, this.#generation, this.#acting],
      ),
      Math.min(1_000, leaseMs / BEATS_PER_LEASE),
      () => new RedisUnavailableError('Redis did not answer a beat in time'),
    )
  }
}
