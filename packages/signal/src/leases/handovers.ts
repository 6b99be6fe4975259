// The short way of a hand-over: the pod that got a seat asks the one that had it to give it up, and hears when
// it has. When a message is lost, the old pod learns of it with its next renewal, and the wait ends when the
// lease it had at the time of the hand-over has run out.
import type { Redis } from 'ioredis'
import type { SignalKeys } from '../keys.js'

export interface HandoversOptions {
  redis: Redis
  /** in subscriber mode, shared with others; keeps its commands while Redis is away */
  subscriber: Redis
  keys: SignalKeys
  /** this process */
  node: string
  /** When it returns, nothing of the seat is sent any more. */
  giveUp: (member: string) => void
}

type Message = { evict: string; answer: string } | { evicted: string }

export class Handovers {
  readonly #options: HandoversOptions
  readonly #waiting = new Map<string, () => void>()

  constructor(options: HandoversOptions) {
    this.#options = options
    const { subscriber, keys, node } = options
    const own = keys.evictions(node)
    subscriber.on('message', (channel, text) => {
      if (channel === own) this.#receive(JSON.parse(text) as Message)
    })
    subscriber.subscribe(own).catch(() => {})
  }

  /** @returns when the old pod gave the seat up, or when it can no longer send */
  async wait(oldNode: string, member: string, waitMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const over = new Promise<void>(resolve => {
      this.#waiting.set(member, resolve)
      timer = setTimeout(resolve, waitMs)
    })
    this.#tell(oldNode, { evict: member, answer: this.#options.node })
    await over
    clearTimeout(timer)
    this.#waiting.delete(member)
  }

  #receive(message: Message): void {
    if ('evicted' in message) return this.#waiting.get(message.evicted)?.()
    this.#options.giveUp(message.evict)
    this.#tell(message.answer, { evicted: message.evict })
  }

  #tell(node: string, message: Message): void {
    const { redis, keys } = this.#options
    redis.publish(keys.evictions(node), JSON.stringify(message)).catch(() => {})
  }
}
