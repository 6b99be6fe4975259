// CPU time of processes and of connections of Postgres, as the scheduler of Linux counts it: to the nanosecond, where
// /proc/PID/stat counts in ticks of 10 ms.
import { readdirSync, readFileSync } from 'node:fs'
import type { Pool } from '@payment-tracking/testkit'

/** CPU that the threads of a process have used, user and system, in microseconds. A process that has ended has none. */
export function cpuMicroseconds(pid: number): number {
  let nanoseconds = 0
  for (const thread of listThreads(pid)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // The thread ended meanwhile.
    }
  }
  return nanoseconds / 1_000
}

function listThreads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/**
 * CPU of each connection that a program has to the pool's database, in microseconds: what connections used that stayed open
 * can then be told from what ended.
 * @param applicationName as `pg_stat_activity` shows it
 */
async function microsecondsByBackend(pool: Pool, applicationName: string): Promise<Map<number, number>> {
  const { rows } = await pool.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database() and application_name = $1',
    [applicationName],
  )
  return new Map(rows.map(({ pid }) => [pid, cpuMicroseconds(pid)]))
}

/**
 * Begins to count the CPU of a program's connections.
 * @returns what they used since then. A connection that ended meanwhile had been idle, and counts nothing: with its sum
 *   missing, the rest would seem to have used less than nothing.
 */
export async function watchBackends(pool: Pool, applicationName: string): Promise<() => Promise<number>> {
  const before = await microsecondsByBackend(pool, applicationName)
  return async () => {
    const after = await microsecondsByBackend(pool, applicationName)
    return [...after].reduce((sum, [pid, cpu]) => sum + cpu - (before.get(pid) ?? 0), 0)
  }
}
