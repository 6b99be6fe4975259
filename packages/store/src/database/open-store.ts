import type { PoolUse } from '@payment-tracking/runtime'
import pg from 'pg'
import { PrismaClient } from '../generated/client.js'
import { buildAdapter } from './build-adapter.js'
import { buildDatabase, BULK_TIMEOUT_MS, type Database } from './database.js'
import { openPipelinedReads } from './pipelined-reads.js'
import { openPipelinedTransactions } from './pipelined-transactions.js'
import { openPrismaTransactions } from './prisma-transactions.js'
import { prepareStatements } from './prepared-statements.js'
import { sql } from './sql.js'

/** What the queries of this package need. Services pass it on and cannot run statements with it. */
export interface Store {
  /** @internal */
  readonly database: Database
  /** Resolves when Postgres answers. @throws StoreUnavailableError */
  ping(): Promise<void>
  poolUse(): PoolUse
  close(): Promise<void>
}

export interface StoreOptions {
  DATABASE_URL: string
  /** connections of the pool; default 10. Ingest's transactions use one more, lookups two more. */
  poolSize?: number
  /** upper bound of every statement; default none */
  statementTimeoutMs?: number
  /** shown in pg_stat_activity */
  applicationName?: string
  /**
   * Forbids sequential scans, for a process that only ever asks by key. Postgres keeps the plan of a prepared
   * statement; a plan made while a table was empty would scan the whole table when it holds 100,000 rows.
   */
  keepToIndexes?: boolean
}

/** One process runs one ingest transaction at a time. */
const PIPELINED_TRANSACTIONS = 1

/**
 * Opens the pools without connecting. A database that is away fails the first query, and is used again, without a
 * restart, when it is back.
 */
export function openStore(options: StoreOptions): Store {
  const limit = options.poolSize ?? 10
  const settings: pg.PoolConfig = {
    connectionString: options.DATABASE_URL,
    connectionTimeoutMillis: 5_000,
    application_name: options.applicationName ?? 'payment-tracking',
    // A process that is paused inside a transaction must not hold the writer lock for ever.
    idle_in_transaction_session_timeout: 10_000,
    ...(options.statementTimeoutMs === undefined ? {} : { statement_timeout: options.statementTimeoutMs }),
    ...(options.keepToIndexes ? { options: '-c enable_seqscan=off' } : {}),
  }
  const pool = new pg.Pool({ ...settings, max: limit })
  const pipelinedPool = new pg.Pool({
    ...settings,
    max: PIPELINED_TRANSACTIONS,
    pipeline: true,
    query_timeout: BULK_TIMEOUT_MS,
  })
  const pools = [pool, pipelinedPool]
  for (const each of pools) {
    // The pool replaces an idle connection that breaks. Without a listener the error would end the process.
    each.on('error', () => {})
    // A new connection has no listener until its first statement. Later breaks reject the statement that is running.
    each.on('connect', client => client.on('error', () => {}))
  }
  const prisma = new PrismaClient({ adapter: buildAdapter(pool) })
  const bulk = openPrismaTransactions(pipelinedPool)
  const pipelinedReads = openPipelinedReads(settings, pool)
  const database = buildDatabase(prisma, {
    bulk,
    pipelined: openPipelinedTransactions(pipelinedPool),
    prepared: prepareStatements(pool),
    pipelinedReads: prepareStatements(pipelinedReads),
  })
  let closed: Promise<void> | undefined
  return {
    database,
    ping: async () => {
      await database.write(sql`select 1`)
    },
    poolUse: () => {
      const sum = (pick: (each: pg.Pool) => number) => pools.reduce((total, each) => total + pick(each), 0)
      const reads = pipelinedReads.use()
      const [total, idle] = [sum(each => each.totalCount), sum(each => each.idleCount)]
      return {
        limit: limit + PIPELINED_TRANSACTIONS + reads.open,
        inUse: total - idle + reads.inUse,
        idle: idle + reads.open - reads.inUse,
        waiting: sum(each => each.waitingCount),
      }
    },
    close: () =>
      (closed ??= Promise.all([prisma.$disconnect(), bulk.close()]).then(async () => {
        await Promise.all([pipelinedReads.close(), ...pools.map(each => each.end())])
      })),
  }
}
