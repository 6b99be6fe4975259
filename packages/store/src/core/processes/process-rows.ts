import { raw, sql, type Store } from '../database/sql.js'
import { LEASE_SECONDS } from './lead.js'

/** What a process says of itself. */
export interface ProcessReport {
  service: string
  /** tells the processes of a service apart */
  replica: string
  version: string
  startedMsAgo: number
  /** since it finished a unit of work; null: none yet */
  workedMsAgo: number | null
  /** of ingest: for how long the oldest message that is not stored has waited; null where it is not known */
  waitingSeconds: number | null
}

export interface ProcessRow extends Omit<ProcessReport, 'startedMsAgo' | 'workedMsAgo'> {
  startedAt: Date
  /** since the process wrote its row, by the clock of Postgres */
  silentSeconds: number
  workedSecondsAgo: number | null
}

/** How long the row of a process that was killed stays. */
const KEPT_MINUTES = raw('15')
/** More processes are not listed: those that are silent longest come first. */
const MOST_LISTED = raw('500')

/**
 * Writes the row of a process, and removes rows of processes that were killed. The last row of a service stays until another process
 * of it reports: a service of which nothing runs is red for as long. Reads the whole table: it has a row for each process.
 * SQL: the database's clock.
 * @returns whether the process leads: of those of its service that have reported lately, it has the first name
 */
export async function reportProcess({ database }: Store, report: ProcessReport): Promise<boolean> {
  const { service, replica, version, startedMsAgo, workedMsAgo, waitingSeconds } = report
  const ago = (ms: number | null) => sql`clock_timestamp() - make_interval(secs => ${ms}::float8 / 1000)`
  const [row] = await database.write<{ leads: boolean }>(sql`
    with gone as (
      select p.service, p.replica from processes p
       where p.seen_at < clock_timestamp() - make_interval(mins => ${KEPT_MINUTES})
         and exists (select from processes n where n.service = p.service and n.seen_at > p.seen_at)
         for update of p skip locked),
    removed as (
      delete from processes p using gone where p.service = gone.service and p.replica = gone.replica)
    insert into processes (service, replica, version, started_at, worked_at, waiting_seconds)
    values (${service}, ${replica}, ${version}, ${ago(startedMsAgo)}, ${ago(workedMsAgo)}, ${waitingSeconds}::float8)
    on conflict (service, replica) do update
       set version = excluded.version, started_at = excluded.started_at, seen_at = clock_timestamp(),
           worked_at = excluded.worked_at, waiting_seconds = excluded.waiting_seconds
    returning not exists (
      select from processes o where o.service = ${service} and o.replica < ${replica}
         and o.seen_at > clock_timestamp() - make_interval(secs => ${raw(String(LEASE_SECONDS))})) as leads`)
  return row!.leads
}

/**
 * A process that ends properly leaves no row.
 * SQL: a model would load Prisma's query compiler into a process that ends.
 */
export async function forgetProcess(
  { database }: Store,
  { service, replica }: Pick<ProcessReport, 'service' | 'replica'>,
): Promise<void> {
  await database.execute(sql`delete from processes where service = ${service} and replica = ${replica}`)
}

/** At most 500, those that are silent longest first. */
export const listProcesses = ({ database }: Store): Promise<readonly ProcessRow[]> =>
  database.read<ProcessRow>(sql`
    select service, replica, version, started_at as "startedAt", waiting_seconds as "waitingSeconds",
           greatest(0, extract(epoch from clock_timestamp() - seen_at))::float8 as "silentSeconds",
           extract(epoch from clock_timestamp() - worked_at)::float8 as "workedSecondsAgo"
      from processes order by seen_at limit ${MOST_LISTED}`)
