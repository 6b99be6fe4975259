// Whether Redis is set to evict keys: a seat whose key is evicted would be given to a second client.
import type { Redis } from 'ioredis'
import { RedisEvictionError } from './errors.js'

/** @throws RedisEvictionError when Redis is set to evict keys; what the client throws when it does not answer */
export async function checkKeepsKeys(redis: Redis): Promise<void> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1]
  if (policy !== undefined && policy !== 'noeviction') throw new RedisEvictionError(policy)
}

const CONNECT_MS = 2_000

/**
 * The check at the start of a service. A Redis that is away passes.
 * @throws RedisEvictionError
 */
export async function refuseEviction(redis: Redis): Promise<void> {
  if (redis.status !== 'ready') {
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, CONNECT_MS)
      redis.once('ready', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }
  if (redis.status !== 'ready') return
  await checkKeepsKeys(redis).catch((error: unknown) => {
    if (error instanceof RedisEvictionError) throw error
  })
}
