import { fileURLToPath } from 'node:url'
import { DEFAULT_SUBJECT_PREFIX } from '@payment-tracking/contracts'
import { lockDataDir } from './data-dir.js'
import type { Program } from './debian-packages.js'
import { findProgram } from './find-program.js'
import { natsKind } from './nats.js'
import { openServer, type RunningServer } from './open-server.js'
import { postgresKind } from './postgres.js'
import { redisKind } from './redis.js'

const KINDS = { postgres: postgresKind, redis: redisKind, nats: natsKind } as const
export type ServerName = keyof typeof KINDS

export interface ServerUrls {
  databaseUrl: string
  redisUrl: string
  natsUrl: string
}

export interface OpenServersOptions {
  dataDir: string
  /** Receives one line of progress, for a waiting user. */
  log?: (line: string) => void
  /** Existing servers: used unchanged, never started or stopped. */
  urls?: { [Name in ServerName]?: string | undefined }
  /** Default true. False for tests: faster, and still safe against killed servers. */
  durable?: boolean
  /** Default false. True for servers that are killed and restarted: no other process takes their ports meanwhile. */
  quietPorts?: boolean
  /** What the subjects of events may begin with; default `chain.events`. */
  subjectPrefixes?: readonly string[]
  /** Default: PATH. */
  path?: string
  /** Default: below node_modules, with other derived files. */
  cacheDir?: string
}

export interface Servers extends ServerUrls {
  /** The private servers; undefined where a URL was given. */
  readonly private: { readonly [Name in ServerName]?: RunningServer }
  close(): Promise<void>
}

const CACHE_DIR = fileURLToPath(
  new URL('../../../../node_modules/.cache/payment-tracking/servers', import.meta.url),
)

/**
 * The program of a server, for tests that start the server with their own settings.
 * @throws ServerMissingError
 */
export const findServerProgram = (server: 'redis' | 'nats'): Promise<Program> =>
  findProgram(server, { cacheDir: CACHE_DIR, path: process.env.PATH ?? '', log: () => {} })

/**
 * Opens Postgres, Redis and NATS with JetStream, each from its URL or as a private server on a free port. If one of
 * them fails, the others are closed again.
 * @throws DataDirBusyError, ServerMissingError, ServerFailedError
 */
export async function openServers(options: OpenServersOptions): Promise<Servers> {
  const { log = () => {}, urls = {} } = options
  const home = lockDataDir(options.dataDir)
  const setup = {
    dataDir: home.path,
    password: home.password,
    durable: options.durable ?? true,
    quietPort: options.quietPorts ?? false,
    subjectPrefixes: options.subjectPrefixes ?? [DEFAULT_SUBJECT_PREFIX],
    path: options.path ?? process.env.PATH ?? '',
    cacheDir: options.cacheDir ?? CACHE_DIR,
    log,
  }
  const open = async (name: ServerName): Promise<RunningServer | undefined> => {
    if (urls[name]) return undefined
    const server = await openServer(KINDS[name], setup)
    log(`${KINDS[name].title} ${server.adopted ? 'was still running' : 'runs'} on port ${server.port}`)
    return server
  }
  const names = Object.keys(KINDS) as ServerName[]
  const opened = await Promise.allSettled(names.map(open))
  const servers = opened.map(result => (result.status === 'fulfilled' ? result.value : undefined))
  let closing: Promise<void> | undefined
  const close = () =>
    (closing ??= Promise.all(servers.map(async server => server?.close())).then(() => home.release()))
  const failures = opened.filter(result => result.status === 'rejected')
  if (failures.length > 0) {
    await close()
    if (failures.length === 1) throw failures[0]!.reason
    const reasons = failures.map(({ reason }) => reason as Error)
    throw new AggregateError(reasons, reasons.map(({ message }) => message).join('\n'))
  }
  const [postgres, redis, nats] = servers
  return {
    databaseUrl: urls.postgres ?? postgres!.url,
    redisUrl: urls.redis ?? redis!.url,
    natsUrl: urls.nats ?? nats!.url,
    private: { ...(postgres && { postgres }), ...(redis && { redis }), ...(nats && { nats }) },
    close,
  }
}
