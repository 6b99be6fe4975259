// Settings of a Postgres session that change the text of values, or what a statement means. A database or a role may set
// them otherwise, so each connection sets them itself, and a process refuses to start where they are otherwise all the same.
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '@payment-tracking/runtime'
import { sql, type Database, type Store } from './sql.js'

/** The wanted text of each setting, and others that mean the same. */
const SETTINGS: Readonly<Record<string, readonly [wanted: string, ...same: string[]]>> = {
  DateStyle: ['ISO, MDY', 'ISO, DMY', 'ISO, YMD'],
  IntervalStyle: ['postgres'],
  TimeZone: ['UTC', 'Etc/UTC', 'Etc/UCT', 'UCT', 'Universal', 'Zulu', 'GMT', 'Etc/GMT'],
  extra_float_digits: ['1', '2', '3'],
  bytea_output: ['hex'],
  standard_conforming_strings: ['on'],
  array_nulls: ['on'],
  transform_null_equals: ['off'],
  default_transaction_isolation: ['read committed'],
}

/** What no connection can set: the driver asks for `client_encoding` itself, and a database keeps its encoding. */
const GIVEN: typeof SETTINGS = { client_encoding: ['UTF8'], server_encoding: ['UTF8'] }

/** The settings as the start parameter `options`; a later option of the same name wins. */
const PINS = Object.entries(SETTINGS)
  .map(([name, [wanted]]) => `-c ${name}=${wanted.replaceAll(' ', '\\ ')}`)
  .join(' ')

/**
 * An address whose sessions have the settings, with `options` of the address and others.
 * @param more options for the start of a connection
 */
export function pinSession<A extends { connectionString: string }>(
  address: A,
  more = '',
): A & { options: string } {
  const url = new URL(address.connectionString)
  const given = url.searchParams.get('options') ?? ''
  // The driver would take the parameter of the address instead of ours.
  url.searchParams.delete('options')
  return { ...address, connectionString: url.href, options: [given, more, PINS].filter(Boolean).join(' ') }
}

/** Sessions of the database have other settings than this service can work with: an operator must act. */
export class SessionSettingsError extends ServiceError {
  readonly code = 'STORE_SESSION'
  readonly retry = 'never'
}

/**
 * Compares the settings of a session with the wanted ones. Behind a pooler, only the role can set them.
 * @throws SessionSettingsError that names each setting and what sets it; StoreUnavailableError while Postgres is away
 */
export async function checkSession(database: Database): Promise<void> {
  const wanted = { ...SETTINGS, ...GIVEN }
  const rows = await database.write<{ name: string; setting: string }>(sql`
    select name, setting from pg_settings where name = any(${Object.keys(wanted)}::text[])`)
  const wrong = rows.filter(({ name, setting }) => !wanted[name]?.includes(setting))
  if (wrong.length === 0) return
  const cures = wrong.map(({ name, setting }) => {
    const [good] = wanted[name]!
    const cure =
      name === 'server_encoding'
        ? `make the database anew with encoding '${good}'`
        : `alter role … set ${name} = '${good}' (infra/postgres/make-roles.sh)`
    return `${name} is '${setting}' and must be '${good}': ${cure}`
  })
  throw new SessionSettingsError(`sessions of the database cannot be used: ${cures.join('; ')}`)
}

const PATIENCE_MS = 2_000

/**
 * Ends the start of a process whose database has other settings. A database that is away is checked when it answers, by
 * `ping`.
 * @throws SessionSettingsError
 */
export async function refuseOtherSessions({ database }: Store): Promise<void> {
  const checked = checkSession(database).catch((error: unknown) => {
    if (error instanceof SessionSettingsError) throw error
  })
  await Promise.race([checked, sleep(PATIENCE_MS, undefined, { ref: false })])
}
