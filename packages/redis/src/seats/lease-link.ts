// One connection's calls of the lease script. It knows which server is behind the connection: what was meant
// for one run of Redis is never sent to the next.
import type { ChainableCommander, Redis } from 'ioredis'
import { RedisUnavailableError } from '../errors.js'
import { checkKeepsKeys } from '@payment-tracking/runtime/redis'
import type { RedisKeys } from '../keys.js'
import { withDeadline } from '../connection.js'
import { ServerRun } from '../server-run.js'
import { LEASE_SCRIPT } from './lease-script.js'

type Argument = string | number

/** The script as a command: by its hash, and with its text when the server does not know it. */
interface WithLease {
  paymentLease: (...args: Argument[]) => Promise<unknown[]>
}
interface PipelineWithLease {
  paymentLease: (...args: Argument[]) => ChainableCommander
}

/** One call of the script; lease-script.ts says what each operation takes and answers. */
export interface LeaseCall {
  op: 'init' | 'join' | 'leave' | 'renew' | 'restore' | 'acquire' | 'release' | 'holds'
  pod: string
  /** what the seats are of; empty for a pod's own operations */
  name: string
  rest: readonly Argument[]
}

export interface LeaseLinkOptions {
  redis: Redis
  keys: RedisKeys
  leaseMs: number
  /** how long one call may wait for Redis */
  timeoutMs: number
  /** a server can be asked (again) */
  onReady: () => void
  onError: (error: unknown) => void
}

const PIPELINE_SIZE = 200

export class LeaseLink {
  readonly #options: LeaseLinkOptions
  readonly #serverRun: ServerRun

  constructor(options: LeaseLinkOptions) {
    this.#options = options
    options.redis.defineCommand('paymentLease', { numberOfKeys: 6, lua: LEASE_SCRIPT })
    this.#serverRun = new ServerRun(options.redis, options)
  }

  /** @throws RedisUnavailableError while no server can be asked */
  get run(): string {
    return this.#serverRun.id
  }

  /** @throws RedisUnavailableError; the operation may have happened all the same */
  async call(call: LeaseCall): Promise<unknown[]> {
    const args = this.#argumentsOf(call, this.run)
    const redis = this.#options.redis as unknown as WithLease
    return this.#inTime(redis.paymentLease(...args))
  }

  /**
   * Many calls, in pipelines.
   * @param between runs after each pipeline
   * @throws RedisUnavailableError when one of them failed; others may have happened
   */
  async callAll(calls: readonly LeaseCall[], between = (): Promise<void> => Promise.resolve()) {
    const { run } = this
    const answers: unknown[][] = []
    for (let at = 0; at < calls.length; at += PIPELINE_SIZE) {
      if (this.run !== run) throw new RedisUnavailableError('Redis restarted meanwhile')
      const pipeline = this.#options.redis.pipeline()
      for (const call of calls.slice(at, at + PIPELINE_SIZE)) {
        ;(pipeline as unknown as PipelineWithLease).paymentLease(...this.#argumentsOf(call, run))
      }
      for (const [error, answer] of (await this.#inTime(pipeline.exec())) ?? []) {
        if (error) throw new RedisUnavailableError('Redis refused a call', { cause: error })
        answers.push(answer as unknown[])
      }
      await between()
    }
    return answers
  }

  /** @throws RedisEvictionError when seats may vanish; RedisUnavailableError */
  async checkKeepsSeats(): Promise<void> {
    await this.#inTime(checkKeepsKeys(this.#options.redis))
  }

  async #inTime<T>(work: Promise<T>): Promise<T> {
    const { timeoutMs } = this.#options
    const late = () => new RedisUnavailableError(`Redis did not answer within ${timeoutMs} ms`)
    return withDeadline(work, timeoutMs, late)
  }

  #argumentsOf({ op, pod, name, rest }: LeaseCall, run: string): Argument[] {
    const { keys, leaseMs } = this.#options
    return [
      keys.lease('run'),
      keys.lease('recovering'),
      keys.lease('pods'),
      keys.lease('idle'),
      keys.lease(`seats:${name}`),
      keys.lease(`evict:${pod}`),
      op,
      run,
      leaseMs,
      pod,
      ...rest,
    ]
  }
}
