import type { Redis } from 'ioredis'
import { RedisUnavailableError } from './errors.js'

/**
 * Follows which run of a server is behind a connection: what was meant for one run of Redis is never sent to the next,
 * which may lack what the first one acknowledged.
 */
export class ServerRun {
  #id: string | undefined

  constructor(redis: Redis, listeners: { onReady: () => void; onError: (error: unknown) => void }) {
    const learn = async () => {
      try {
        const info = await redis.info('server')
        this.#id = /^run_id:(\w+)/m.exec(info)?.[1]
        listeners.onReady()
      } catch (error) {
        listeners.onError(error)
      }
    }
    redis.on('close', () => (this.#id = undefined))
    redis.on('ready', () => void learn())
    if (redis.status === 'ready') void learn()
  }

  /** @throws RedisUnavailableError while no server can be asked */
  get id(): string {
    if (this.#id === undefined) throw new RedisUnavailableError('not connected to Redis')
    return this.#id
  }
}
