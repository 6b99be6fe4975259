import { Type, type Static, type TObject } from 'typebox'
import { ConfigError, ServerUrl } from '../config.js'
import { describeTls, readTls, type TlsOptions } from './tls.js'

const tls = describeTls('Postgres')

/** The settings of a process that uses Postgres; spread into a service's schema. */
export const DatabaseConfig = {
  DATABASE_URL: ServerUrl(
    'postgres|postgresql',
    'Postgres, as postgresql://user:password@host:5432/database',
  ),
  DATABASE_POOLER: Type.Enum(['none', 'transaction'], {
    default: 'none',
    description:
      'transaction when DATABASE_URL leads to PgBouncer in transaction mode: session settings are then the role’s (infra/postgres/make-roles.sh)',
  }),
  DATABASE_TLS_CA: tls.ca,
  DATABASE_TLS_CERT: tls.cert,
  DATABASE_TLS_KEY: tls.key,
}

/** The settings of a process that may read from standbys of the same server. */
export const ReplicaConfig = {
  DATABASE_REPLICA_URLS: Type.Optional(
    ServerUrl(
      'postgres|postgresql',
      'standbys of the server in DATABASE_URL that answer reads, comma separated; none without',
    ),
  ),
  REPLICA_MAX_LAG_MS: Type.Integer({
    default: 2_000,
    minimum: 200,
    maximum: 3_600_000,
    description: 'a replica further behind the primary is not asked',
  }),
}

/**
 * The addresses of a list.
 * @throws ConfigError when one of them is no address of Postgres
 */
export function readReplicaUrls(list: string | undefined): string[] {
  const urls = (list ?? '').split(',').map(url => url.trim())
  return urls
    .filter(url => url !== '')
    .map(url => {
      if (/^postgres(ql)?:\/\/./.test(url) && URL.canParse(url)) return url
      throw new ConfigError([
        'DATABASE_REPLICA_URLS names something that is no address of Postgres (postgresql://user:password@host:5432/database; write a comma in a password as %2C)',
      ])
    })
}

/**
 * How many connections a process may keep. A fleet of 30 realtime, 18 api, 6 worker and 2 ingest processes stays below
 * 200 with the defaults: a test adds them up.
 */
export const PoolSize = (fallback: number, description = 'connections to Postgres') =>
  Type.Integer({ default: fallback, minimum: 1, maximum: 200, description })

export type DatabaseConfig = Static<TObject<typeof DatabaseConfig>>

/** Parameters of the URL that would replace the `ssl` options of pg as a whole. */
const TLS_PARAMETERS = ['sslmode', 'ssl', 'sslcert', 'sslkey', 'sslrootcert']

/** Options of pg. */
export interface DatabaseAddress {
  connectionString: string
  ssl?: TlsOptions
}

/**
 * What `pg` needs to connect. Any TLS setting turns TLS on and verifies the server's name and certificate; without one,
 * the URL decides (`sslmode`, where `require` verifies as well).
 */
export function readDatabaseAddress(
  config: { DATABASE_URL: string } & Omit<Partial<DatabaseConfig>, 'DATABASE_URL'>,
): DatabaseAddress {
  const ssl = readTls(config.DATABASE_TLS_CA, config.DATABASE_TLS_CERT, config.DATABASE_TLS_KEY)
  if (!ssl) return { connectionString: config.DATABASE_URL }
  const url = new URL(config.DATABASE_URL)
  for (const name of TLS_PARAMETERS) url.searchParams.delete(name)
  return { connectionString: url.href, ssl }
}
