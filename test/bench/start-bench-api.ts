import { buildJwtKeys, findFreePort } from '@payment-tracking/stack'
import { startService } from '@payment-tracking/testkit'
import type { BenchContext } from './bench.js'

/** Starts the API over a database. @returns what asks it for a path and says how many milliseconds it took */
export async function startBenchApi(
  context: BenchContext,
  databaseUrl: string,
): Promise<(path: string) => Promise<number>> {
  const port = await findFreePort()
  await startService(context, 'api', {
    DATABASE_URL: databaseUrl,
    REDIS_URL: context.servers.redisUrl,
    PORT: String(port),
    RATE_LIMIT_MAX: '1000000000',
    JWT_PRIVATE_KEYS: buildJwtKeys(),
  })
  return async path => {
    const startedAt = performance.now()
    const answer = await fetch(`http://127.0.0.1:${port}${path}`)
    await answer.arrayBuffer()
    if (answer.status >= 500) throw new Error(`${path} was answered ${answer.status}`)
    return performance.now() - startedAt
  }
}
