// One migration at a time, and never beside Prisma's own CLI.
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError, type DatabaseAddress } from '@payment-tracking/runtime'
import pg from 'pg'

/** A migration failed, or the database does not match the files. An operator must look. */
export class MigrationError extends ServiceError {
  readonly code = 'STORE_MIGRATION_FAILED'
  readonly retry = 'never'
}

/** The advisory lock that Prisma's schema engine takes. */
const PRISMA_LOCK = 72707369
const POLL_MS = 100
const DEFAULT_TIMEOUT_MS = 300_000
const SAY_EVERY_MS = 10_000

export interface MigrationLockOptions {
  /** how long to wait for a migration that is running elsewhere; default five minutes */
  lockTimeoutMs?: number
  /** called every ten seconds with the holder of the lock */
  onWaiting?: (holder: string) => void
}

/**
 * Does `work` while this process holds the lock. The lock belongs to a transaction on a connection of its own: a lock
 * of a session would stay with the pooled connection when PgBouncer runs in transaction mode. The transaction is
 * `read committed` and idle, so it has no snapshot for which `create index concurrently` would wait. Who wants the lock polls: waiting
 * inside Postgres deadlocks with that statement.
 * @throws MigrationError naming the session that holds the lock, after `lockTimeoutMs`
 */
export async function withMigrationLock<T>(
  address: DatabaseAddress,
  { lockTimeoutMs = DEFAULT_TIMEOUT_MS, onWaiting }: MigrationLockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...address, application_name: 'payment-tracking-migrate' })
  const lost = new Promise<never>((_, reject) => {
    client.on('error', cause =>
      reject(new MigrationError('the connection that holds the lock broke', { cause })),
    )
  })
  // While no call awaits it, a lost connection must not end the process.
  lost.catch(() => {})
  await client.connect()
  try {
    await takeLock(client, lockTimeoutMs, onWaiting)
    return await Promise.race([work(), lost])
  } finally {
    // Ends the transaction, and with it the lock.
    await client.query('rollback').catch(() => {})
    await client.end()
  }
}

async function takeLock(
  client: pg.Client,
  lockTimeoutMs: number,
  onWaiting: MigrationLockOptions['onWaiting'],
): Promise<void> {
  const startedAt = Date.now()
  let sayAt = startedAt + SAY_EVERY_MS
  for (;;) {
    // The lock is kept for as long as the migrations take, in a transaction that does nothing.
    await client.query(
      'begin isolation level read committed; set local idle_in_transaction_session_timeout = 0',
    )
    // As a simple query: the portal of an extended one would keep its snapshot until the transaction ends.
    const { rows } = await client.query<{ ours: boolean }>(
      `select pg_try_advisory_xact_lock(${PRISMA_LOCK}) as ours`,
    )
    if (rows[0]?.ours) return
    await client.query('rollback')
    if (Date.now() - startedAt > lockTimeoutMs) {
      throw new MigrationError(
        `another session has held the migration lock for ${lockTimeoutMs} ms: ${await describeHolder(client)}. ` +
          'Wait for its migration, or end that session (pg_terminate_backend) if nothing migrates there.',
      )
    }
    if (Date.now() > sayAt) {
      sayAt += SAY_EVERY_MS
      onWaiting?.(await describeHolder(client))
    }
    await sleep(POLL_MS)
  }
}

/** The holder of the lock, as the object of a sentence. */
async function describeHolder(client: pg.Client): Promise<string> {
  const { rows } = await client.query<
    { pid: number } & Record<'application' | 'client' | 'state' | 'seconds', string | null>
  >(
    `select pid, application_name as application, host(client_addr) as client, state,
            round(extract(epoch from now() - coalesce(xact_start, state_change))) as seconds
     from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and classid = 0 and objid = $1 and objsubid = 1
       and database = (select oid from pg_database where datname = current_database())`,
    [PRISMA_LOCK],
  )
  const [holder] = rows
  if (!holder) return 'a session that has just ended'
  const { pid, application, client: from, state, seconds } = holder
  return `process ${pid} (${application || 'no name'}, from ${from ?? 'this machine'}, ${state} for ${seconds} s)`
}
