import { buildJwtKeys, findFreePort } from '@payment-tracking/stack'
import { startService } from '@payment-tracking/testkit'
import type { BenchContext } from './bench.js'

export interface BenchApi {
  baseUrl: string
  pid: number
  managementUrl: string
  /** Asks for a path, with a gateway's key if given. @returns how many milliseconds it took */
  ask: (path: string, key?: string) => Promise<number>
}

/** Starts the API over a database, with everything on but a limit that nobody reaches. */
export async function startBenchApi(
  context: BenchContext,
  databaseUrl: string,
  settings: Record<string, string> = {},
): Promise<BenchApi> {
  const port = await findFreePort()
  const { pid, managementUrl } = await startService(
    context,
    'api',
    {
      DATABASE_URL: databaseUrl,
      REDIS_URL: context.servers.redisUrl,
      NODE_ENV: 'production',
      PORT: String(port),
      RATE_LIMIT_MAX: '1000000000',
      JWT_PRIVATE_KEYS: buildJwtKeys(),
      ...settings,
    },
    { keepLogs: false },
  )
  const baseUrl = `http://127.0.0.1:${port}`
  return {
    baseUrl,
    pid,
    managementUrl,
    ask: async (path, key) => {
      const startedAt = performance.now()
      const answer = await fetch(
        baseUrl + path,
        key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } },
      )
      await answer.arrayBuffer()
      if (answer.status >= 500 || (key !== undefined && !answer.ok))
        throw new Error(`${path} was answered ${answer.status}`)
      return performance.now() - startedAt
    },
  }
}
