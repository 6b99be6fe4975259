import { PrismaPg } from '@prisma/adapter-pg'
import type { PoolUse } from '@payment-tracking/runtime'
import pg from 'pg'
import { PrismaClient, type Prisma } from './generated/client.js'
import { openLookups } from './lookups.js'
import { openPreparedSql, type PreparedSql } from './prepared-sql.js'
import { openWriter, type Writer } from './writer.js'

/** Inside a transaction. A function that takes a `Tx` uses it throughout. */
export type Tx = Prisma.TransactionClient

/** What raw SQL needs: the client or a transaction. */
export type Sql = Pick<Tx, '$queryRaw' | '$executeRaw'>

export interface Store {
  readonly prisma: PrismaClient
  /** for hot statements, outside of transactions; the same pool */
  readonly prepared: PreparedSql
  /** for statements that Postgres answers at once, whatever is stored; on connections of their own */
  readonly lookups: PreparedSql
  /** for ingest's transactions, one at a time; on a connection of its own */
  readonly writer: Writer
  /** Resolves when Postgres answers. */
  ping(): Promise<void>
  poolUse(): PoolUse
  close(): Promise<void>
}

export interface StoreOptions {
  DATABASE_URL: string
  /** connections of this process, that of the writer and two of lookups aside; default 10 */
  poolSize?: number
  /** upper bound of every statement; default none */
  statementTimeoutMs?: number
  /** shown in pg_stat_activity */
  applicationName?: string
  /**
   * For a process that asks by key and nothing else: a plan that was made and kept while a table was empty would
   * read the whole of it a minute later, when it has grown by a hundred thousand rows.
   */
  keepToIndexes?: boolean
}

/** Ingest's transactions take turns anyway. */
const WRITING = 1

/**
 * Opens the pool. Nothing is connected yet: a database that is away shows at the first query, and is used
 * again without a restart when it is back.
 */
export function openStore(options: StoreOptions): Store {
  const limit = options.poolSize ?? 10
  const settings: pg.PoolConfig = {
    connectionString: options.DATABASE_URL,
    connectionTimeoutMillis: 5_000,
    application_name: options.applicationName ?? 'payment-tracking',
    // A process that is paused in a transaction must not hold the writer lock for ever.
    idle_in_transaction_session_timeout: 10_000,
    ...(options.statementTimeoutMs === undefined ? {} : { statement_timeout: options.statementTimeoutMs }),
    ...(options.keepToIndexes ? { options: '-c enable_seqscan=off' } : {}),
  }
  const pool = new pg.Pool({ ...settings, max: limit })
  const writing = new pg.Pool({ ...settings, max: WRITING, pipeline: true })
  const pools = [pool, writing]
  const lookups = openLookups(settings, pool)
  for (const each of pools) {
    // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
    each.on('error', () => {})
    // Nor is anybody listening between a connection's first moment and its first statement. What breaks later is told
    // by the statement that was on its way.
    each.on('connect', client => client.on('error', () => {}))
  }
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { onConnectionError: () => {} }) })
  let closed: Promise<void> | undefined
  return {
    prisma,
    ping: async () => {
      await prisma.$queryRaw`select 1`
    },
    prepared: openPreparedSql(pool),
    lookups: openPreparedSql(lookups),
    writer: openWriter(writing),
    poolUse: () => {
      const sum = (pick: (each: pg.Pool) => number) => pools.reduce((total, each) => total + pick(each), 0)
      const lines = lookups.use()
      const [total, idle] = [sum(each => each.totalCount), sum(each => each.idleCount)]
      return {
        limit: limit + WRITING + lines.open,
        inUse: total - idle + lines.inUse,
        idle: idle + lines.open - lines.inUse,
        waiting: sum(each => each.waitingCount),
      }
    },
    close: () =>
      (closed ??= prisma.$disconnect().then(async () => {
        await Promise.all([lookups.close(), ...pools.map(each => each.end())])
      })),
  }
}
