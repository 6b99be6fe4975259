// Applies prisma/migrations as `prisma migrate deploy` does, with Prisma's own bookkeeping, but only with the pg
// driver. So an image needs no schema engine, and Prisma's CLI works on the same database.
import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readDatabaseAddress, type DatabaseAddress, type DatabaseConfig } from '@payment-tracking/runtime'
import type pg from 'pg'
import { sqlStateOf } from '../errors.js'
import { grantRights } from './grant-rights.js'
import { MigrationError, withMigrationLock, type MigrationLockOptions } from './migration-lock.js'
import { withClient } from './with-client.js'

/**
 * A statement that waits for a table's lock blocks all later statements on the table. The migration gives up before the
 * timeouts of those statements (2 s in the API), lets them run, and tries again.
 */
const LOCK_TIMEOUT_MS = 1_000
const LOCK_TRIES = 60
const POLL_MS = 100

const BOOKKEEPING = `
  create table if not exists _prisma_migrations (
    id varchar(36) primary key not null,
    checksum varchar(64) not null,
    finished_at timestamptz,
    migration_name varchar(255) not null,
    logs text,
    rolled_back_at timestamptz,
    started_at timestamptz not null default now(),
    applied_steps_count integer not null default 0
  )`

export const MIGRATIONS_DIR = fileURLToPath(new URL('../../../../../prisma/migrations', import.meta.url))

interface Migration {
  name: string
  sql: string
  checksum: string
}

interface AppliedRow {
  migration_name: string
  checksum: string
  finished: boolean
}

/** A URL, or the settings of Postgres with their TLS. */
export type MigrationTarget =
  | string
  | ({ DATABASE_URL: string } & Omit<Partial<DatabaseConfig>, 'DATABASE_URL'>)

const readAddress = (target: MigrationTarget) =>
  readDatabaseAddress(typeof target === 'string' ? { DATABASE_URL: target } : target)

export interface MigrateOptions extends MigrationLockOptions {
  /** called with the roles of services that the server does not have */
  onMissingRoles?: (roles: string[]) => void
}

/** The migrations in the order of their names, which is the order of their application. */
export async function readMigrations(dir = MIGRATIONS_DIR): Promise<Migration[]> {
  const entries = await readdir(dir, { withFileTypes: true })
  const names = entries.filter(entry => entry.isDirectory()).map(entry => entry.name)
  return Promise.all(
    names.sort().map(async name => {
      const sql = await readFile(join(dir, name, 'migration.sql'), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/**
 * Brings the database up to date, and creates the database if it is missing; gives the services' roles their rights. Concurrent
 * calls take turns, and the later calls find no migration to apply. Works through a pooler in transaction mode.
 * @returns the names of the migrations that this call applied
 * @throws MigrationError when a migration fails, failed earlier, or was edited after its application, or when another
 *   session keeps the lock until `options.lockTimeoutMs`
 */
export async function migrate(
  target: MigrationTarget,
  dir = MIGRATIONS_DIR,
  options: MigrateOptions = {},
): Promise<string[]> {
  const migrations = await readMigrations(dir)
  const address = readAddress(target)
  return withDatabase(address, client =>
    withMigrationLock(address, options, async () => {
      await client.query(BOOKKEEPING)
      const { rows } = await client.query<AppliedRow>(
        'select migration_name, checksum, finished_at is not null as finished from _prisma_migrations where rolled_back_at is null',
      )
      const applied = new Map(rows.map(row => [row.migration_name, row]))
      checkHistory(migrations, applied)
      const missing = migrations.filter(({ name }) => !applied.has(name))
      for (const migration of missing) await apply(client, migration)
      const absent = await grantRights(client)
      if (absent.length > 0) options.onMissingRoles?.(absent)
      return missing.map(({ name }) => name)
    }),
  )
}

/**
 * Marks a failed migration as undone, so that it runs again, as `prisma migrate resolve --rolled-back` does. A file is
 * one transaction, so a failed file leaves nothing behind except an invalid index of `create index concurrently`.
 * @throws MigrationError when no failed migration has this name
 */
export async function markRolledBack(target: MigrationTarget, name: string): Promise<void> {
  const { rowCount } = await withDatabase(readAddress(target), client =>
    client.query(
      `update _prisma_migrations set rolled_back_at = now()
       where migration_name = $1 and finished_at is null and rolled_back_at is null`,
      [name],
    ),
  )
  if (rowCount === 0) throw new MigrationError(`there is no failed migration with the name ${name}`)
}

function checkHistory(migrations: readonly Migration[], applied: ReadonlyMap<string, AppliedRow>): void {
  for (const row of applied.values()) {
    if (!row.finished) {
      throw new MigrationError(
        `migration ${row.migration_name} failed earlier. Mend the database, then mark it: run this program with ` +
          `--rolled-back ${row.migration_name}, or \`npx prisma migrate resolve\` (docs/upgrades.md).`,
      )
    }
  }
  for (const { name, checksum } of migrations) {
    const row = applied.get(name)
    if (row && row.checksum !== checksum) {
      throw new MigrationError(
        `migration ${name} was edited after it was applied. Restore the file and add a new migration.`,
      )
    }
  }
}

const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Runs the file, and repeats it until it gets its locks. The file is one transaction, so a failed run leaves nothing
 * behind.
 */
async function runGivingWay(client: pg.Client, sql: string): Promise<void> {
  // A concurrent index build waits for old transactions and blocks no session. A cancelled build leaves an invalid
  // index.
  const patient = /^(?!\s*--).*\bconcurrently\b/im.test(sql)
  // In the transaction of the file: a pooler may give the next statement another session.
  const text = patient ? sql : `set local lock_timeout = ${LOCK_TIMEOUT_MS};\n${sql}`
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query(text)
      return
    } catch (error) {
      if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE || tries === LOCK_TRIES) throw error
      await sleep(POLL_MS)
    }
  }
}

/** Sends the whole file as one simple query: Postgres runs it in one transaction. */
async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  const id = randomUUID()
  await client.query('insert into _prisma_migrations (id, checksum, migration_name) values ($1, $2, $3)', [
    id,
    checksum,
    name,
  ])
  try {
    await runGivingWay(client, sql)
  } catch (error) {
    if (sqlStateOf(error) === LOCK_NOT_AVAILABLE) {
      await client.query('delete from _prisma_migrations where id = $1', [id])
      throw new MigrationError(
        `migration ${name} did not get its lock in ${LOCK_TRIES} tries of ${LOCK_TIMEOUT_MS} ms; nothing was ` +
          'changed. Find who holds the table for so long (pg_stat_activity, by xact_start) and run it again.',
        { cause: error },
      )
    }
    await client.query('update _prisma_migrations set logs = $2 where id = $1', [id, String(error)])
    throw new MigrationError(`migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
  await client.query(
    'update _prisma_migrations set finished_at = clock_timestamp(), applied_steps_count = 1 where id = $1',
    [id],
  )
}

const NO_SUCH_DATABASE = '3D000'
const DATABASE_EXISTS = '42P04'
const UNIQUE_VIOLATION = '23505'

/** Does `work` on a connection to the database, and creates the database if it is missing. */
async function withDatabase<T>(
  address: DatabaseAddress,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const isMissing = await withClient(address, () => Promise.resolve(false)).catch((error: unknown) => {
    if (sqlStateOf(error) !== NO_SUCH_DATABASE) throw error
    return true
  })
  if (isMissing) await createDatabase(address)
  return withClient(address, work)
}

async function createDatabase(address: DatabaseAddress): Promise<void> {
  const url = new URL(address.connectionString)
  const name = decodeURIComponent(url.pathname.slice(1))
  url.pathname = '/postgres'
  try {
    await withClient({ ...address, connectionString: url.href }, client =>
      client.query(`create database ${client.escapeIdentifier(name)}`),
    )
  } catch (error) {
    // Another process created the database at the same moment.
    if (![DATABASE_EXISTS, UNIQUE_VIOLATION].includes(sqlStateOf(error) ?? '')) throw error
  }
}
