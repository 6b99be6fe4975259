import { fileURLToPath } from 'node:url'
import type { ServerUrls } from '../open-servers.js'
import type { StackConfig } from './config.js'

/** One process to run. */
export interface ServiceSpec {
  /** As it is told to people and named in logs; two processes of one service differ here. */
  name: string
  /** The file that node runs. */
  main: string
  /** Whether it listens on a port the edge forwards to. */
  served: boolean
  env: Record<string, string>
}

export const SERVICES = ['ingest', 'api', 'realtime', 'webhook-worker', 'ops'] as const

export interface ServiceSettings {
  config: StackConfig
  urls: ServerUrls
  opsPort: number
  opsToken: string
  jwtPrivateKeys: string
}

/** The services and what each is told beyond what the user's environment says. */
export function buildServiceSpecs({ config, urls, ...settings }: ServiceSettings): ServiceSpec[] {
  const everybody = {
    DATABASE_URL: urls.databaseUrl,
    REDIS_URL: urls.redisUrl,
    NATS_URL: urls.natsUrl,
    ENVIRONMENT: config.ENVIRONMENT,
    MANAGEMENT_HOST: '127.0.0.1',
    // All stop at once, within the 15 s that the whole stack may take.
    STOP_DEADLINE_MS: '8000',
  }
  const behindEdge = {
    ...everybody,
    HOST: '127.0.0.1',
    // Only the edge calls these processes, and it alone writes x-forwarded-for.
    TRUST_PROXY: 'on',
    JWT_PRIVATE_KEYS: settings.jwtPrivateKeys,
    WEBHOOK_ALLOW_PRIVATE_TARGETS: String(config.WEBHOOK_ALLOW_PRIVATE_TARGETS),
  }
  const spec = (
    service: string,
    env: Record<string, string>,
    served = false,
    name = service,
  ): ServiceSpec => ({
    name,
    main: fileURLToPath(new URL(`../../../../services/${service}/dist/main.js`, import.meta.url)),
    served,
    env,
  })
  return [
    spec('ingest', everybody),
    spec('api', behindEdge, true),
    ...Array.from({ length: config.REALTIME_PROCESSES }, (_, index) =>
      spec('realtime', behindEdge, true, `realtime-${index + 1}`),
    ),
    spec('webhook-worker', {
      ...everybody,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: String(config.WEBHOOK_ALLOW_PRIVATE_TARGETS),
    }),
    spec('ops', {
      ...everybody,
      OPS_PORT: String(settings.opsPort),
      OPS_TOKEN: settings.opsToken,
    }),
  ]
}
