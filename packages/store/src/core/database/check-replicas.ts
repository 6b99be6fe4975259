// Whether the addresses of replicas lead to standbys of the primary, before a process starts.
import { readDatabaseAddress } from '@payment-tracking/runtime'
import type { StoreOptions } from './open-store.js'
import { sqlStateOf } from '../errors.js'
import { withClient } from './with-client.js'

/** What is wrong with one replica, as a sentence that names the setting and the cure. */
export interface ReplicaFault {
  name: string
  /** false: it may be away for a while, so the process starts, and asks it when it is there */
  isFinal: boolean
  message: string
}

const PATIENCE_MS = 2_000

/** Wrong user or password, no such database. */
const REFUSED = /^(28|3D)/

interface Identity {
  isStandby: boolean
  /** null where the server does not show it */
  system: string | null
}

/** The address of a database without user, password and parameters. */
export function nameOfDatabase(url: string): string {
  const { hostname, port, pathname } = new URL(url)
  return `${hostname}:${port || '5432'}${pathname}`
}

function identify(options: StoreOptions): Promise<Identity> {
  const patient = { connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS }
  return withClient({ ...readDatabaseAddress(options), ...patient }, async client => {
    const { rows } = await client.query<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"')
    const system = await client
      .query<{ system: string }>('select system_identifier::text as system from pg_control_system()')
      .then(
        answer => answer.rows[0]!.system,
        () => null,
      )
    return { isStandby: rows[0]!.isStandby, system }
  })
}

async function findFault(
  url: string,
  options: StoreOptions,
  system: string | null,
): Promise<ReplicaFault | null> {
  const name = nameOfDatabase(url)
  const fault = (isFinal: boolean, problem: string): ReplicaFault => {
    return { name, isFinal, message: `DATABASE_REPLICA_URLS: ${name} ${problem}` }
  }
  try {
    const found = await identify({ ...options, DATABASE_URL: url })
    if (!found.isStandby)
      return fault(true, 'is a primary: name only standbys of the server in DATABASE_URL, or leave it out')
    if (system !== null && found.system !== null && found.system !== system)
      return fault(true, 'is a standby of another server than the one in DATABASE_URL: correct the address')
    return null
  } catch (error) {
    const state = sqlStateOf(error)
    if (state !== undefined && REFUSED.test(state))
      return fault(true, `refuses the connection (SQLSTATE ${state}): correct its user, password or database`)
    const problem =
      'cannot be reached: reads go to other databases until it answers; correct it if it is wrong'
    return fault(false, problem)
  }
}

/**
 * Asks every replica who it is.
 * @param urls the replicas; `options` are those of the primary
 * @returns what is wrong, empty when nothing is. While the primary is away, its identity is not compared.
 */
export async function findReplicaFaults(
  urls: readonly string[],
  options: StoreOptions,
): Promise<ReplicaFault[]> {
  if (urls.length === 0) return []
  const primary = await identify(options).catch(() => null)
  const faults = await Promise.all(urls.map(url => findFault(url, options, primary?.system ?? null)))
  return faults.filter(fault => fault !== null)
}
