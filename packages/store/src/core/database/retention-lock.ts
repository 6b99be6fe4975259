import type { Tx } from './sql.js'

/** One lock for all of retention. The number is arbitrary and unused elsewhere. */
const RETENTION_LOCK = 741_120_261_122n

/**
 * Takes the lock of retention until the transaction ends, which works behind a pooler too.
 * @returns false when another process holds it
 */
export async function tryRetentionLock(tx: Tx): Promise<boolean> {
  const [lock] = await tx.$queryRaw<{ ours: boolean }[]>`
    select pg_try_advisory_xact_lock(${RETENTION_LOCK}) as ours`
  return lock!.ours
}
