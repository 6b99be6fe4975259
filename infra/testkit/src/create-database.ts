import { createHash, randomBytes } from 'node:crypto'
import {
  makeRoles,
  migrate,
  readMigrations,
  withClient as withStoreClient,
} from '@payment-tracking/store/core'
import pg from 'pg'
import type { TestContext } from './test-context.js'
import { useServers } from './use-servers.js'

export type { Client, Pool, QueryResultRow } from 'pg'

/** A pool for looking into a database; its server may die without ending the process. */
export function openPool(url: string, settings: { max: number; connectionTimeoutMillis?: number }): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, ...settings })
  pool.on('error', () => {})
  return pool
}

/** Runs SQL on a new connection. @returns the rows */
export const queryOnce = <Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> =>
  withClient(url, async client => (await client.query<Row>(text)).rows)

export interface TestDatabase {
  url: string
  /** For tests that read the database; closed with it. */
  pool: pg.Pool
}

/** How many rows there are of `what`: a table, with a condition of `values`. */
export const countRows = async (of: Pick<pg.Pool, 'query'>, what: string, values: unknown[] = []) =>
  Number((await of.query<{ count: string }>(`select count(*) from ${what}`, values)).rows[0]!.count)

/** An arbitrary number, the same in every process that creates the template. */
const TEMPLATE_LOCK = 815_001

const onDatabase = (url: string, name: string): string => {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

/** Runs `work` on a new connection. */
export const withClient = <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withStoreClient({ connectionString: url }, work)

/**
 * The migrated database that other databases are cloned from, named after its migrations. The first caller creates it,
 * also among concurrent processes.
 */
export async function ensureTemplate(serverUrl: string): Promise<string> {
  const checksums = (await readMigrations()).map(({ checksum }) => checksum).join()
  const name = `template_${createHash('sha256').update(checksums).digest('hex').slice(0, 16)}`
  await withClient(serverUrl, async client => {
    await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    const { rows } = await client.query<{ ready: boolean }>(
      'select datistemplate as ready from pg_database where datname = $1',
      [name],
    )
    if (rows[0]?.ready) return
    await client.query(`drop database if exists ${name} with (force)`)
    await makeRoles(serverUrl)
    await migrate(onDatabase(serverUrl, name))
    await client.query(`alter database ${name} is_template true`)
  })
  return name
}

let template: Promise<string> | undefined

/**
 * A migrated database for one test, dropped when the test ends.
 * @param options.serverUrl another server than the run's, such as a server of `openPrivateServers`
 */
export async function createDatabase(
  t: TestContext,
  options: { serverUrl?: string } = {},
): Promise<TestDatabase> {
  const serverUrl = options.serverUrl ?? (await useServers(t)).databaseUrl
  const name = `test_${randomBytes(6).toString('hex')}`
  const url = onDatabase(serverUrl, name)
  const source = await (options.serverUrl
    ? ensureTemplate(serverUrl)
    : (template ??= ensureTemplate(serverUrl)))
  // Half of what it costs Postgres to log each page, and the first connection finds its catalog read in.
  await withClient(serverUrl, client =>
    client.query(`create database ${name} template ${source} strategy file_copy`),
  )
  const pool = openPool(url, { max: 4 })
  t.teardown(async () => {
    await pool.end()
    await withClient(serverUrl, client => client.query(`drop database if exists ${name} with (force)`)).catch(
      // The server may be gone already, with all its databases.
      () => {},
    )
  })
  return { url, pool }
}
