// Databases with many events in them. Making five million takes minutes, so a run that keeps its servers' data
// (`--data DIR`) finds them again; a bench that writes takes a copy.
import { createHash, randomBytes } from 'node:crypto'
import { makeRoles, migrate, readMigrations } from '@payment-tracking/store/core'
import {
  filledEvents,
  fillEvents,
  type FilledEvents,
  openPool,
  withClient,
  type Client,
  type Pool,
} from '@payment-tracking/testkit'
import type { BenchContext } from './bench.js'

export interface FilledDatabase {
  url: string
  pool: Pool
  /** the keys of what is in it */
  filled: FilledEvents
}

/** Raised when `fillEvents` fills otherwise. */
const FILL_VERSION = 4

const onDatabase = (url: string, name: string): string =>
  Object.assign(new URL(url), { pathname: `/${name}` }).href

const isThere = async (client: Client, name: string): Promise<boolean> =>
  (await client.query('select 1 from pg_database where datname = $1', [name])).rowCount === 1

/** Makes the filled database unless there is one. @returns its name */
async function ensureFilled(context: BenchContext, count: number): Promise<string> {
  const { servers } = context
  const checksums = (await readMigrations()).map(({ checksum }) => checksum).join()
  const hash = createHash('sha256').update(`${FILL_VERSION} ${checksums}`).digest('hex').slice(0, 12)
  const name = `filled_${count}_${hash}`
  const making = `${name}_making`
  await withClient(servers.databaseUrl, async client => {
    if (await isThere(client, name)) return
    context.say(`filling ${count.toLocaleString('en')} events`)
    await client.query(`drop database if exists ${making} with (force)`)
    await client.query(`create database ${making}`)
    await makeRoles(servers.databaseUrl)
    await migrate(onDatabase(servers.databaseUrl, making))
    const pool = openPool(onDatabase(servers.databaseUrl, making), { max: 2 })
    try {
      await fillEvents(pool, count)
    } finally {
      await pool.end()
    }
    // Only what is whole has the name.
    await client.query(`alter database ${making} rename to ${name}`)
  })
  return name
}

function connectTo(context: BenchContext, name: string, count: number): FilledDatabase {
  const url = onDatabase(context.servers.databaseUrl, name)
  const pool = openPool(url, { max: 4 })
  context.teardown(() => pool.end())
  return { url, pool, filled: filledEvents(count) }
}

/** A database with so many events that other benches read too: only to be read. */
export async function openFilled(context: BenchContext, count: number): Promise<FilledDatabase> {
  return connectTo(context, await ensureFilled(context, count), count)
}

/** A copy of such a database of this bench alone, dropped at its end. */
export async function copyFilled(context: BenchContext, count: number): Promise<FilledDatabase> {
  const source = await ensureFilled(context, count)
  const name = `bench_${randomBytes(6).toString('hex')}`
  const { databaseUrl } = context.servers
  context.say(`copying ${count.toLocaleString('en')} events`)
  await withClient(databaseUrl, client =>
    client.query(`create database ${name} template ${source} strategy file_copy`),
  )
  context.teardown(() =>
    withClient(databaseUrl, client => client.query(`drop database if exists ${name} with (force)`)),
  )
  return connectTo(context, name, count)
}
