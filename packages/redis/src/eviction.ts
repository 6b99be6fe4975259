// Whether Redis is set to evict keys: a seat whose key is evicted would be given to a second client.
import { RedisEvictionError } from '@payment-tracking/runtime'
import { checkKeepsKeys } from '@payment-tracking/runtime/redis'
import type { Redis } from 'ioredis'

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
