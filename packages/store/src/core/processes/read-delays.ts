import { sql, type Store } from '../database/sql.js'
import type { ProcessRow } from './process-rows.js'
import { readOldestDueSeconds } from '../tables/oldest-waits.js'

/** A process that has reported nothing for this long is frozen, cut off or gone: it reports every 3 s. */
export const SILENT_AFTER_SECONDS = 20

/** Seconds: 0 when nothing waits, null where it is not known. */
export interface Delays {
  /** that the oldest message which is not stored has waited */
  payments: number | null
  /** that the oldest due delivery which is not begun has waited */
  deliveries: number | null
}

type LatestReport = Pick<ProcessRow, 'service' | 'silentSeconds' | 'waitingSeconds'>

/**
 * How late payments and deliveries are. While no process of a service reports, nobody does its work: the delay is at least as long
 * as the silence. Reads a row for each process, and what `readOldestDueSeconds` reads.
 */
export async function readDelays(store: Store): Promise<Delays> {
  const [reports, due] = await Promise.all([
    store.database.read<LatestReport>(sql`
      select distinct on (service) service, waiting_seconds as "waitingSeconds",
             greatest(0, extract(epoch from clock_timestamp() - seen_at))::float8 as "silentSeconds"
        from processes where service in ('ingest', 'webhook-worker') order by service, seen_at desc`),
    readOldestDueSeconds(store),
  ])
  const latest = (service: string) => reports.find(report => report.service === service)
  const ingest = latest('ingest')
  return {
    payments: ingest ? atLeastSilence(ingest.waitingSeconds, ingest) : null,
    deliveries: atLeastSilence(due, latest('webhook-worker')),
  }
}

const atLeastSilence = (delay: number | null, report: LatestReport | undefined): number | null =>
  report && report.silentSeconds > SILENT_AFTER_SECONDS ? Math.max(delay ?? 0, report.silentSeconds) : delay
