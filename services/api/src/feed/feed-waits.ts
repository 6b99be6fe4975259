// Requests of this process that wait for a feed to go on. Whoever waits holds a socket and some hundred bytes, and no connection to
// Postgres or Redis. One listener and, while somebody waits, one check a second serve them all.
import { countedNetworks, networkLimit, repeat, type Logger } from '@payment-tracking/runtime'
import { readFeedsSince, type FeedMark } from '@payment-tracking/store/reads'
import { type Store } from '@payment-tracking/store/core'
import { ApiError } from '../http/api-errors.js'

interface FeedWaitLimits {
  /** of one gateway, on this process */
  perGateway: number
  /** of one client address, on this process; of an IPv6 network twice and four times as many */
  perAddress: number
  /** of all gateways; the last tenth is for gateways of which nobody waits */
  all: number
  /** how soon a feed goes on, or a reader is refused, whose signal was lost, or that no message of ingest caused */
  checkEveryMs: number
}

/** A request that waits, or reads before it waits. */
interface FeedWait {
  /**
   * Resolves when the feed may have gone on since the last call, or since it was opened.
   * @returns false when the time is over, the client is gone or the process stops
   */
  next(): Promise<boolean>
  close(): void
}

/** Who waits, and for how long. */
interface FeedWaitOptions {
  gateway: string
  /** of the client */
  address: string
  waitMs: number
  /** ends the wait */
  gone: AbortSignal
}

interface Waiter {
  /** the feed went on, and nobody has asked yet */
  isSignalled: boolean
  signal(isOn: boolean): void
}

/** The part of all places that gateways of which somebody waits already can take. */
const SHARED = 0.9

export class FeedWaits {
  readonly #waiters = new Map<string, Set<Waiter>>()
  /** how many wait, by the networks of their clients */
  readonly #networks = new Map<string, number>()
  #count = 0
  #mark: FeedMark | null = null
  #isStopping = false
  readonly #checking

  constructor(
    private readonly store: Store,
    private readonly limits: FeedWaitLimits,
    log: Pick<Logger, 'debug'>,
  ) {
    this.#checking = repeat({
      everyMs: limits.checkEveryMs,
      ref: false,
      run: () => this.#check(),
      onError: err => log.debug({ err }, 'feed.check-failed'),
    })
    this.#checking.start()
  }

  /** How many requests wait. */
  get size(): number {
    return this.#count
  }

  /**
   * Begins to wait. Called before the page is read, so that nothing is missed between the page and the wait.
   * @returns null where other requests, of the client's address or of all, have taken every place
   * @throws ApiError TOO_MANY_CONNECTIONS where those of the gateway have
   */
  open({ gateway, address, waitMs, gone }: FeedWaitOptions): FeedWait | null {
    const { perGateway, perAddress, all } = this.limits
    const waiters = this.#waiters.get(gateway) ?? new Set()
    if (waiters.size >= perGateway) {
      const sentence = `At most ${perGateway} requests of a gateway wait at a time. Please try again.`
      throw new ApiError('TOO_MANY_CONNECTIONS', sentence, { retry: 'later' })
    }
    const places = waiters.size === 0 ? all : Math.floor(all * SHARED)
    const networks = countedNetworks(address)
    const isFull = networks.some(
      (network, index) => (this.#networks.get(network) ?? 0) >= networkLimit(perAddress, index),
    )
    if (isFull || this.#count >= places) return null
    let isOver = this.#isStopping || gone.aborted
    let resolve: ((isOn: boolean) => void) | undefined
    const waiter: Waiter = {
      isSignalled: false,
      signal: isOn => {
        if (isOn) waiter.isSignalled = true
        else isOver = true
        resolve?.(isOn)
      },
    }
    const end = () => waiter.signal(false)
    const timer = setTimeout(end, waitMs)
    gone.addEventListener('abort', end)
    waiters.add(waiter)
    this.#waiters.set(gateway, waiters)
    this.#add(networks, 1)
    return {
      next: async () => {
        if (!isOver && !waiter.isSignalled) await new Promise<boolean>(done => (resolve = done))
        waiter.isSignalled = false
        return !isOver
      },
      close: () => {
        clearTimeout(timer)
        gone.removeEventListener('abort', end)
        if (!waiters.delete(waiter)) return
        if (waiters.size === 0) this.#waiters.delete(gateway)
        this.#add(networks, -1)
      },
    }
  }

  #add(networks: readonly string[], places: 1 | -1): void {
    this.#count += places
    for (const network of networks) {
      const count = (this.#networks.get(network) ?? 0) + places
      if (count === 0) this.#networks.delete(network)
      else this.#networks.set(network, count)
    }
  }

  /** @param gateways null for all */
  signal(gateways: readonly string[] | null): void {
    for (const gateway of gateways ?? this.#waiters.keys())
      for (const waiter of this.#waiters.get(gateway) ?? []) waiter.signal(true)
  }

  /** Ends every wait: the requests are answered. */
  async stop(): Promise<void> {
    this.#isStopping = true
    for (const waiters of this.#waiters.values()) for (const waiter of waiters) waiter.signal(false)
    await this.#checking.stop()
  }

  async #check(): Promise<void> {
    if (this.#count === 0) {
      // Whoever comes next may have read before the next check.
      this.#mark = null
      return
    }
    const { mark, gateways } = await readFeedsSince(this.store, this.#mark)
    this.#mark = mark
    this.signal(gateways)
  }
}
