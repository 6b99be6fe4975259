import { fileURLToPath } from 'node:url'
import { SERVICES_WITH_ROLES, urlOfRole, type ServiceWithRole } from '@payment-tracking/store/core'
import { isBusUser, urlOfBusUser, type ServerUrls } from '../servers/index.js'
import { STOP_DEADLINE_MS, type StackConfig } from './config.js'

/** One process to run. */
export interface ServiceSpec {
  /** The name for messages and logs; two processes of one service have different names. */
  name: string
  /** The file that node runs. */
  main: string
  /** The port that the process serves, if any. Each start may use another port, unless the port is `fixed`. */
  port?: { variable: string; wanted?: number; fixed?: boolean }
  env: Record<string, string>
  /** What the process gets of the user's environment; everything when this is not given. */
  inherits?: readonly string[]
}

/** Enough for a process that needs no server and no secret: it must not be able to tell either. */
const HARMLESS = ['PATH', 'NODE_OPTIONS', 'TZ', 'LOG_LEVEL', 'EXPLORER_URL']

export const SERVICES = ['ingest', 'api', 'realtime', 'console', 'webhook-worker', 'ops', 'indexer'] as const

export const USUAL_OPS_PORT = 3004
/** Two, so that sockets are notified across processes here as in a deployment. */
const REALTIME_PROCESSES = 2

export interface ServiceSettings {
  config: StackConfig
  urls: ServerUrls
  /** servers of the launcher's own, where each service has a role and a user of its own */
  own: { postgres: boolean; nats: boolean }
  opsToken: string
  /** of the edge */
  baseUrl: string
  /** the port where the ops dashboard starts */
  opsPort: number
  jwtPrivateKeys: string
  checkoutTokenKeys: string
}

const hasRole = (service: string): service is ServiceWithRole =>
  (SERVICES_WITH_ROLES as readonly string[]).includes(service)

/** The launcher has turned the content of a secret's file into a value: the service must not find both. */
const withoutFiles = (env: Record<string, string>): Record<string, string> => ({
  ...Object.fromEntries(Object.keys(env).map(variable => [`${variable}_FILE`, ''])),
  ...env,
})

/** The services, and their settings beyond the user's environment. */
export function buildServiceSpecs({ config, urls, own, ...settings }: ServiceSettings): ServiceSpec[] {
  const without = {
    ENVIRONMENT: config.ENVIRONMENT,
    MANAGEMENT_HOST: '127.0.0.1',
    STOP_DEADLINE_MS: String(STOP_DEADLINE_MS),
  }
  const everybody = { ...without, REDIS_URL: urls.redisUrl }
  /** What the service may reach, in its own name. */
  const serversOf = (service: string) => ({
    ...(hasRole(service) && {
      DATABASE_URL: own.postgres ? urlOfRole(urls.databaseUrl, service) : urls.databaseUrl,
    }),
    ...(isBusUser(service) && { NATS_URL: own.nats ? urlOfBusUser(urls.natsUrl, service) : urls.natsUrl }),
  })
  const behindEdge = {
    ...everybody,
    HOST: '127.0.0.1',
    // Only the edge calls these processes, and only the edge writes x-forwarded-for.
    TRUST_PROXY: 'on',
  }
  const spec = (
    service: string,
    env: Record<string, string>,
    port?: ServiceSpec['port'],
    name = service,
  ): ServiceSpec => ({
    name,
    main: fileURLToPath(new URL(`../../../../services/${service}/dist/service.js`, import.meta.url)),
    env: withoutFiles({ ...serversOf(service), ...env }),
    ...(port && { port }),
  })
  return [
    spec('ingest', everybody),
    spec(
      'api',
      {
        ...behindEdge,
        JWT_PRIVATE_KEYS: settings.jwtPrivateKeys,
        WEBHOOK_ALLOW_PRIVATE_TARGETS: String(config.WEBHOOK_ALLOW_PRIVATE_TARGETS),
        CHECKOUT_TOKEN_KEYS: settings.checkoutTokenKeys,
        OPS_URL: `http://127.0.0.1:${settings.opsPort}/`,
      },
      { variable: 'PORT' },
    ),
    ...Array.from({ length: REALTIME_PROCESSES }, (_, index) =>
      spec('realtime', behindEdge, { variable: 'PORT' }, `realtime-${index + 1}`),
    ),
    {
      ...spec('console', {}, { variable: 'PORT' }),
      env: withoutFiles({ ...without, HOST: '127.0.0.1' }),
      inherits: HARMLESS,
    },
    spec('webhook-worker', {
      ...everybody,
      WEBHOOK_ALLOW_PRIVATE_TARGETS: String(config.WEBHOOK_ALLOW_PRIVATE_TARGETS),
    }),
    spec(
      'ops',
      // Nobody reaches the dashboard from another machine, whatever HOST says of the base URL.
      {
        ...everybody,
        HOST: '127.0.0.1',
        TRUST_PROXY: 'off',
        OPS_TOKEN: settings.opsToken,
        PUBLIC_ORIGINS: settings.baseUrl,
      },
      { variable: 'OPS_PORT', wanted: settings.opsPort, fixed: Boolean(config.OPS_PORT) },
    ),
    // Without a node, messages come only from another publisher.
    ...(config.SOLANA_RPC_URLS ? [spec('indexer', everybody)] : []),
  ]
}
