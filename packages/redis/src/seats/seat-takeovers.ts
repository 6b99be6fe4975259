// A seat takeover by message: the new pod asks the old pod over Redis pub/sub to give the seat up, and the old pod
// confirms. If a message is lost, the old pod learns of the takeover with its next renewal, and the new pod waits no
// longer than the lease that the old pod held at the time of the takeover. Redis may have lost its data meanwhile, and
// the old pod may have written its seat again: without the confirmation, the new pod asks Redis whose the seat is.
import type { Redis } from 'ioredis'
import type { RedisKeys } from '../keys.js'

export interface SeatTakeoversOptions {
  redis: Redis
  /** in subscriber mode, shared with others; keeps its commands while Redis is away */
  subscriber: Redis
  keys: RedisKeys
  /** this process */
  node: string
  /** When it returns, nothing of the seat is sent any more. */
  giveUp: (member: string) => void
}

type Message = { evict: string; answer: string } | { evicted: string }

export class SeatTakeovers {
  readonly #options: SeatTakeoversOptions
  readonly #waiting = new Map<string, () => void>()

  constructor(options: SeatTakeoversOptions) {
    this.#options = options
    const { subscriber, keys, node } = options
    const own = keys.evictions(node)
    subscriber.on('message', (channel, text) => {
      if (channel === own) this.#receive(JSON.parse(text) as Message)
    })
    subscriber.subscribe(own).catch(() => {})
  }

  /** @returns true when the old pod gave the seat up, false when `waitMs` passed without a word of it */
  async wait(oldNode: string, member: string, waitMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const over = new Promise<boolean>(resolve => {
      this.#waiting.set(member, () => resolve(true))
      timer = setTimeout(() => resolve(false), waitMs)
    })
    this.#publish(oldNode, { evict: member, answer: this.#options.node })
    const confirmed = await over
    clearTimeout(timer)
    this.#waiting.delete(member)
    return confirmed
  }

  #receive(message: Message): void {
    if ('evicted' in message) return this.#waiting.get(message.evicted)?.()
    this.#options.giveUp(message.evict)
    this.#publish(message.answer, { evicted: message.evict })
  }

  #publish(node: string, message: Message): void {
    const { redis, keys } = this.#options
    redis.publish(keys.evictions(node), JSON.stringify(message)).catch(() => {})
  }
}
