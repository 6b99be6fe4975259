// Applies prisma/migrations as `prisma migrate deploy` would, with Prisma's own bookkeeping, but with the
// pg driver alone: an image needs no schema engine, and whoever has Prisma's CLI may use it on the same database.
import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ServiceError } from '@payment-tracking/runtime'
import pg from 'pg'

/** A migration failed, or the database does not match the files; a person has to look. */
export class MigrationError extends ServiceError {
  readonly code = 'STORE_MIGRATION_FAILED'
  readonly retry = 'never'
}

/** The advisory lock Prisma's schema engine takes, so that the two never run at once. */
const PRISMA_LOCK = 72707369

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

export const MIGRATIONS_DIR = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))

interface Migration {
  name: string
  sql: string
  checksum: string
}

interface AppliedRow {
  migration_name: string
  checksum: string
  finished_at: Date | null
}

/** The migrations in the order they apply, which is that of their names. */
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
 * Brings the database up to date, creating it when the server has none of that name. Several callers may
 * run at once: they take turns, and the later ones find nothing to do.
 * @returns the names of the migrations that were applied now
 * @throws MigrationError when one fails, failed earlier, or was edited after it was applied
 */
export async function migrate(databaseUrl: string, dir = MIGRATIONS_DIR): Promise<string[]> {
  const migrations = await readMigrations(dir)
  const client = await connectCreating(databaseUrl)
  try {
    await client.query('select pg_advisory_lock($1)', [PRISMA_LOCK])
    await client.query(BOOKKEEPING)
    const { rows } = await client.query<AppliedRow>(
      'select migration_name, checksum, finished_at from _prisma_migrations where rolled_back_at is null',
    )
    const applied = new Map(rows.map(row => [row.migration_name, row]))
    checkHistory(migrations, applied)
    const missing = migrations.filter(({ name }) => !applied.has(name))
    for (const migration of missing) await apply(client, migration)
    return missing.map(({ name }) => name)
  } finally {
    await client.end() // ends the session, and with it the lock
  }
}

function checkHistory(migrations: readonly Migration[], applied: ReadonlyMap<string, AppliedRow>): void {
  for (const row of applied.values()) {
    if (row.finished_at === null) {
      throw new MigrationError(
        `migration ${row.migration_name} failed earlier. Mend the database, then mark it with ` +
          `\`npx prisma migrate resolve --rolled-back ${row.migration_name}\` (or --applied).`,
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

/** One simple query for the whole file: Postgres runs it in one transaction, functions and all. */
async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  const id = randomUUID()
  await client.query('insert into _prisma_migrations (id, checksum, migration_name) values ($1, $2, $3)', [
    id,
    checksum,
    name,
  ])
  try {
    await client.query(sql)
  } catch (error) {
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

async function connectCreating(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl })
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => {})
    if ((error as { code?: string }).code !== NO_SUCH_DATABASE) throw error
  }
  const url = new URL(databaseUrl)
  const name = decodeURIComponent(url.pathname.slice(1))
  url.pathname = '/postgres'
  const maintenance = new pg.Client({ connectionString: url.href })
  await maintenance.connect()
  try {
    await maintenance.query(`create database ${maintenance.escapeIdentifier(name)}`)
  } catch (error) {
    // Somebody else created it at the same moment.
    if (![DATABASE_EXISTS, UNIQUE_VIOLATION].includes((error as { code?: string }).code ?? '')) throw error
  } finally {
    await maintenance.end()
  }
  const created = new pg.Client({ connectionString: databaseUrl })
  await created.connect()
  return created
}
