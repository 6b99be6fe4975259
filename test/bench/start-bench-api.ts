import { buildJwtKeys, findFreePort } from '@payment-tracking/stack'
import { startService } from '@payment-tracking/testkit'
import type { BenchContext } from './bench.js'

/** Starts the API over a database, with everything on but a limit that nobody reaches. */
export async function startBenchApi(
  context: BenchContext,
  databaseUrl: string,
): Promise<{ baseUrl: string; pid: number }> {
  const port = await findFreePort()
  const env = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: context.servers.redisUrl,
    NODE_ENV: 'production',
    PORT: String(port),
    RATE_LIMIT_MAX: '1000000000',
    JWT_PRIVATE_KEYS: buildJwtKeys(),
  }
  const { pid } = await startService(context, 'api', env, { keepLogs: false })
  return { baseUrl: `http://127.0.0.1:${port}`, pid }
}
