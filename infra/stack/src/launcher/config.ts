import { existsSync, statSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  CommonConfig,
  ConfigError,
  Flag,
  readConfig,
  Secret,
  ServerUrl,
  WebConfig,
} from '@payment-tracking/runtime'
import { Type, type Static, type TObject } from 'typebox'
import { findKeyProblem } from './secrets.js'

const Port = (description: string, fallback?: number) =>
  Type.Integer({
    minimum: 0,
    maximum: 65535,
    description,
    ...(fallback !== undefined && { default: fallback }),
  })

/** The settings of `npm start` itself; all other settings go to the services. */
export const StackConfig = Type.Object({
  PORT: Port('the port of the base URL; 0 takes a free one', 3002),
  HOST: Type.String({ default: '127.0.0.1', description: 'the address the base URL listens on' }),
  DATA_DIR: Type.String({ default: '.data', description: 'where everything that is kept lies' }),
  DATABASE_URL: Type.Optional(
    ServerUrl('postgres|postgresql', 'a Postgres of yours, postgresql://user:password@host:5432/database'),
  ),
  REDIS_URL: Type.Optional(ServerUrl('redis|rediss', 'a Redis of yours, redis://user:password@host:6379')),
  NATS_URL: Type.Optional(
    ServerUrl('nats|tls', 'a NATS with JetStream of yours, nats://user:password@host:4222'),
  ),
  TRUST_PROXY: WebConfig.TRUST_PROXY,
  OPS_PORT: Type.Optional(Port('the port of the ops dashboard; 3004, or a free one when that is taken')),
  OPS_TOKEN: Type.Optional(Secret('the password of the ops dashboard; made and kept when not given')),
  JWT_PRIVATE_KEYS: Type.Optional(Secret('the keys that sign gateway tokens; made and kept when not given')),
  CHECKOUT_TOKEN_KEYS: Type.Optional(
    Secret('the keys that sign proof-of-payment tokens; made and kept when not given'),
  ),
  WEBHOOK_ALLOW_PRIVATE_TARGETS: Type.Optional(
    Flag(
      false,
      'whether webhooks may point at this machine and into its networks; npm start turns it on, on loopback alone',
    ),
  ),
  SOLANA_RPC_URLS: Type.Optional(
    Secret(
      'Solana nodes, https://host/key, separated by commas; npm start runs the indexer when this is set',
    ),
  ),
  ENVIRONMENT: CommonConfig.ENVIRONMENT,
})
export type StackConfig = Omit<Static<typeof StackConfig>, 'WEBHOOK_ALLOW_PRIVATE_TARGETS'> & {
  WEBHOOK_ALLOW_PRIVATE_TARGETS: boolean
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)

/**
 * Reads the launcher's settings and checks the settings of every service, so that one error reports all faults.
 * @throws ConfigError
 */
export async function readStackConfig(
  env: NodeJS.ProcessEnv,
  services: readonly string[],
): Promise<StackConfig> {
  const problems = new Map<string, string>()
  const collect = <T>(read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      for (const problem of error.problems) {
        const [name = ''] = problem.split(' ')
        if (!problems.has(name)) problems.set(name, problem)
      }
      return undefined
    }
  }
  // The launcher decides an unset flag here, so the flag's default must not count as the user's choice.
  const saysPrivate = env.WEBHOOK_ALLOW_PRIVATE_TARGETS?.trim()
  const config = collect(() => readConfig(StackConfig, env))
  for (const service of services) {
    const schema = await readServiceSchema(service)
    if (schema) collect(() => readConfig(onlyGiven(schema, env), env))
  }
  const host = env.HOST?.trim() || '127.0.0.1'
  if (saysPrivate && !/^(0|false|no|off)$/i.test(saysPrivate) && !isLoopback(host)) {
    problems.set(
      'WEBHOOK_ALLOW_PRIVATE_TARGETS',
      `WEBHOOK_ALLOW_PRIVATE_TARGETS is only allowed when HOST is a loopback address (HOST is ${host}): ` +
        'anybody who reaches this port could reach your network through it',
    )
  }
  const archive = findArchiveProblem(env)
  if (archive !== undefined) problems.set('EVENTS_ARCHIVE', archive)
  for (const [name, curve] of KEY_SETTINGS) {
    const problem = config?.[name] && findKeyProblem(config[name], curve)
    if (problem)
      problems.set(name, `${name} ${problem}; leave the setting out to have keys made and kept in DATA_DIR`)
  }
  if (problems.size > 0 || !config) throw new ConfigError([...problems.values()].sort())
  return {
    ...config,
    WEBHOOK_ALLOW_PRIVATE_TARGETS: saysPrivate
      ? (config.WEBHOOK_ALLOW_PRIVATE_TARGETS ?? false)
      : isLoopback(config.HOST),
  }
}

/** Ingest says the same, but only after all servers were started. */
function findArchiveProblem({
  EVENTS_RETENTION_MONTHS: months,
  EVENTS_ARCHIVE: archive,
}: NodeJS.ProcessEnv): string | undefined {
  if (!(Number(months) > 0)) return undefined
  const directory = archive?.trim()
  if (!directory)
    return 'EVENTS_ARCHIVE is not set, and EVENTS_RETENTION_MONTHS is: name the directory of archived months, or s3://bucket/folder'
  // Ingest asks the store.
  if (directory.startsWith('s3://')) return undefined
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return undefined
  return `EVENTS_ARCHIVE names ${directory}, which is no directory: make it, or mount it`
}

const KEY_SETTINGS = [
  ['JWT_PRIVATE_KEYS', 'Ed25519'],
  ['CHECKOUT_TOKEN_KEYS', 'P-256'],
] as const

/** All services stop at the same time, within the 15 s of the whole stack. */
export const STOP_DEADLINE_MS = 8_000

/**
 * The names of all settings, of the launcher and of these services.
 */
export async function listSettings(services: readonly string[]): Promise<string[]> {
  const schemas = await Promise.all(services.map(readServiceSchema))
  return [StackConfig as TObject, ...schemas].flatMap(schema => Object.keys(schema?.properties ?? {}))
}

/** The settings that the launcher always sets for each service. */
const OWN_SETTINGS = ['PORT', 'HOST', 'TRUST_PROXY', 'MANAGEMENT_HOST', 'MANAGEMENT_PORT', 'STOP_DEADLINE_MS']

/** The user's settings; the launcher supplies the rest. */
const onlyGiven = (schema: TObject, env: NodeJS.ProcessEnv): TObject =>
  Type.Object(
    Object.fromEntries(
      Object.entries(schema.properties).filter(([name]) => env[name]?.trim() && !OWN_SETTINGS.includes(name)),
    ),
  )

/** The schema that a service exports from its config.ts, bundled. Reading the schema runs no other code of the service. */
export async function readServiceSchema(service: string): Promise<TObject | undefined> {
  const file = fileURLToPath(new URL(`../../../../services/${service}/dist/settings.js`, import.meta.url))
  if (!existsSync(file)) return undefined
  const exported = (await import(pathToFileURL(file).href)) as Record<string, unknown>
  return Object.values(exported).find(
    (value): value is TObject => typeof value === 'object' && value !== null && 'properties' in value,
  )
}
