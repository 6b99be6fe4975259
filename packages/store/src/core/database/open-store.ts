import { readDatabaseAddress, waitAtMost, type DatabaseConfig, type PoolUse } from '@payment-tracking/runtime'
import pg from 'pg'
import { PrismaClient } from '../../generated/client.js'
import { buildAdapter } from './driver-adapter.js'
import { buildDatabase } from './database.js'
import { joinTransactions } from './join-transactions.js'
import { Lanes } from './lanes.js'
import { loadCompilerLate } from './lazy-query-compiler.js'
import { types, writeValue } from './pg-codec.js'
import { poolQueries } from './pool-queries.js'
import { openPipelinedReads } from './pipelined-reads.js'
import { prepareStatements } from './prepared-statements.js'
import { checkSession, pinSession } from './session-settings.js'
import { sql, type RunStatement, type Store } from './sql.js'

/** `DATABASE_URL` and the other settings of Postgres, as a service read them. */
export interface StoreOptions extends Omit<Partial<DatabaseConfig>, 'DATABASE_URL'> {
  DATABASE_URL: string
  /** connections of the pool; default 10. Lookups use two more. */
  poolSize?: number
  /** upper bound of every statement; default none */
  statementTimeoutMs?: number
  /** shown in pg_stat_activity */
  applicationName?: string
  /**
   * Forbids sequential scans, for a process that reads only by key. Postgres keeps the plan of a prepared statement. A
   * plan from the time of an empty table would scan the whole table when it holds 100,000 rows.
   */
  keepToIndexes?: boolean
  /** called with each new connection before its first statement; when it rejects, the connection is not used */
  onConnect?: (run: RunStatement) => Promise<void>
}

/** A Postgres that is silent for this long after its own statement timeout counts as frozen. */
const FROZEN_AFTER_MS = 3_000

/**
 * The first probe of an idle connection. The system's settings say how many more there are before it counts as broken
 * (Linux: 9, each after 75 s). A statement on a broken connection ends by its own timeout.
 */
const KEEP_ALIVE_MS = 10_000

/** A connection whose server does not answer is left to the end of the process. */
const CLOSE_WITHIN_MS = 2_000

/** The longest that a statement of ingest may take where no limit of statements is set. */
const LONGEST_STATEMENT_MS = 60_000

/** A process that is paused inside a transaction must not hold the writer lock for ever. */
const IDLE_IN_TRANSACTION_MS = 10_000

/** The limits that Postgres enforces for the session. */
const readSessionLimits = ({ statementTimeoutMs }: StoreOptions): pg.ClientConfig => ({
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  ...(statementTimeoutMs !== undefined && {
    statement_timeout: statementTimeoutMs,
    // A frozen server does not enforce its statement timeout, so this process drops the connection.
    query_timeout: statementTimeoutMs + FROZEN_AFTER_MS,
  }),
})

const KEEP_TO_INDEXES = '-c enable_seqscan=off'

/**
 * PgBouncer refuses these parameters at the start of a connection, and its sessions are shared. The client itself stops
 * waiting for a statement. The role sets the other limits, and the settings of session-settings.ts, as infra/pgbouncer
 * shows; `checkSession` refuses a role that does not.
 */
const readPooledLimits = ({ statementTimeoutMs }: StoreOptions): pg.ClientConfig =>
  statementTimeoutMs === undefined ? {} : { query_timeout: statementTimeoutMs }

/** Prisma's types do not say this option of its client. */
const lateCompiler: object = { __internal: { configOverride: loadCompilerLate } }

/** Runs statements on one connection. */
const runOn =
  (client: pg.ClientBase): RunStatement =>
  async <Row>({ text, values }: Parameters<RunStatement>[0]) =>
    (await client.query({ text, values: values.map(writeValue), types })).rows as Row[]

const usedOf = (pool: pg.Pool, reads: { open: number; inUse: number }): PoolUse => ({
  limit: pool.options.max + reads.open,
  inUse: pool.totalCount - pool.idleCount + reads.inUse,
  idle: pool.idleCount + reads.open - reads.inUse,
  waiting: pool.waitingCount,
})

/**
 * Opens the pools without connecting. If the database is away, the first query fails. The pools use the database again
 * when it is back, without a restart.
 */
export function openStore(options: StoreOptions): Store {
  const { onConnect, poolSize = 10 } = options
  const pooled = options.DATABASE_POOLER === 'transaction'
  const address = readDatabaseAddress(options)
  const pinned = (more?: string) => (pooled ? address : pinSession(address, more))
  const settings: pg.PoolConfig = {
    ...pinned(options.keepToIndexes ? KEEP_TO_INDEXES : undefined),
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: options.applicationName ?? 'payment-tracking',
    ...(pooled ? readPooledLimits(options) : readSessionLimits(options)),
  }
  const greet = onConnect && ((client: pg.ClientBase) => onConnect(runOn(client)))
  // The pool waits for the promise, which its types do not say.
  const greeting = greet && { onConnect: greet as unknown as (client: pg.ClientBase) => void }
  const pool = new pg.Pool({ ...settings, max: poolSize, pipeline: true, ...greeting })
  // The pool replaces an idle connection that breaks. Without a listener the error would end the process.
  pool.on('error', () => {})
  // A new connection has no listener until its first statement. A later break rejects the running statement.
  pool.on('connect', client => client.on('error', () => {}))
  const lanes = new Lanes()
  const prisma = new PrismaClient({
    adapter: buildAdapter(pool, lanes),
    errorFormat: 'minimal',
    ...lateCompiler,
  })
  const pooledQueries = poolQueries(pool)
  const pipelinedReads = openPipelinedReads(settings, pooledQueries, greet)
  const separate = buildDatabase(prisma, {
    pipelined: {
      lanes,
      timeoutMs: Math.min(LONGEST_STATEMENT_MS, settings.query_timeout ?? Infinity),
      idleMs: pooled ? IDLE_IN_TRANSACTION_MS : undefined,
    },
    prepared: prepareStatements(pooledQueries),
    preparedReads: prepareStatements(pooledQueries, { share: true }),
    pipelinedReads: prepareStatements(pipelinedReads, { share: true }),
  })
  const database = joinTransactions(separate)
  let isChecked = false
  let closed: Promise<void> | undefined
  return {
    database,
    ping: async () => {
      if (isChecked) await database.write(sql`select 1`)
      else await checkSession(database)
      isChecked = true
    },
    poolUse: () => usedOf(pool, pipelinedReads.use()),
    close: () =>
      (closed ??= waitAtMost(CLOSE_WITHIN_MS, async () => {
        await prisma.$disconnect()
        await Promise.all([pipelinedReads.close(), pool.end()])
      })),
  }
}

export type { Store } from './sql.js'
