import type { Store } from '../database/open-store.js'
import { sql } from '../database/sql.js'

/** A session of the dashboard that was ended by signing out. */
export interface EndedSession {
  id: string
  /** when the session would have ended by itself; the row is of no use after that */
  endsAt: Date
}

/** Keeps that a session has ended, and forgets those that are over anyway. Ending a session twice is ending it once. */
export async function endSession({ database }: Store, { id, endsAt }: EndedSession): Promise<void> {
  await database.execute(sql`delete from ended_ops_sessions where ends_at < now()`)
  await database.execute(sql`
    insert into ended_ops_sessions (id, ends_at) values (${id}, ${endsAt}) on conflict (id) do nothing`)
}

/** All sessions that were ended and would live otherwise. There are a few: people sign out by hand. */
export async function listEndedSessions({ database }: Store): Promise<EndedSession[]> {
  return database.read<EndedSession>(sql`
    select id, ends_at as "endsAt" from ended_ops_sessions where ends_at >= now()`)
}
