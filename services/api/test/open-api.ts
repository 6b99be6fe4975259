// An API over its own database, as in production but without a socket.
import { createLogger, createMetrics, readConfig, readTunables } from '@payment-tracking/runtime'
import { openStore } from '@payment-tracking/store/core'
import { createDatabase, inRoleOf, splitTunables, type TestContext } from '@payment-tracking/testkit'
import type { InjectOptions } from 'fastify'
import { buildApp } from '../src/app.js'
import { ApiConfig } from '../src/config.js'
import { API_TUNABLES } from '../src/tunables.js'
import { makeSigningKeys } from './gateway-auth/make-signing-keys.js'

export interface Answer {
  status: number
  // Tests read untyped JSON on purpose.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
  text: string
  headers: Record<string, string | undefined>
}

/**
 * @param settings and numbers that are no settings, as `api.<name>`
 * @param nowMs the clock of limits and due dates
 */
export async function openApi(
  t: TestContext,
  settings: Record<string, string> = {},
  nowMs = () => 1_795_000_000_000,
) {
  const database = await createDatabase(t)
  const logs: string[] = []
  const { env, args } = splitTunables('api', settings)
  const tunables = readTunables(API_TUNABLES, args)
  const given = {
    LOG_LEVEL: 'info',
    DATABASE_URL: database.url,
    REDIS_URL: 'redis://127.0.0.1:1',
    JWT_PRIVATE_KEYS: makeSigningKeys(),
    ...env,
  }
  const config = readConfig(ApiConfig, inRoleOf('api', given))
  const log = createLogger('api', config, { write: line => void logs.push(line) })
  const own = openStore({
    DATABASE_URL: config.DATABASE_URL,
    poolSize: 4,
    statementTimeoutMs: tunables.statementTimeoutMs,
  })
  const store = openStore({ DATABASE_URL: given.DATABASE_URL, poolSize: 4 })
  const app = await buildApp({ config, log, store: own, metrics: createMetrics(), tunables, nowMs })
  t.teardown(async () => {
    await app.close()
    await Promise.all([own.close(), store.close()])
  })
  return {
    app,
    /** What other services do: the API itself has fewer rights. */
    store,
    database,
    logs,
    /** Reads the body; read integers beyond 2⁵³ from `text`. */
    get: async (url: string, options: InjectOptions = {}): Promise<Answer> => {
      const answer = await app.inject({ method: 'GET', url, ...options })
      const isJson = String(answer.headers['content-type']).startsWith('application/json')
      const body = isJson && answer.body !== '' ? JSON.parse(answer.body) : undefined
      return {
        status: answer.statusCode,
        body,
        text: answer.body,
        headers: answer.headers as Answer['headers'],
      }
    },
  }
}

export type TestApi = Awaited<ReturnType<typeof openApi>>
