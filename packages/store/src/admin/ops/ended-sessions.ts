import { sql, type Store } from '../../core/database/sql.js'

/** A dashboard session that its user ended by signing out. */
export interface EndedSession {
  id: string
  /** when the session would have expired; the row is useless after that */
  endsAt: Date
}

/** Records that a session has ended, and removes expired sessions. A second call for a session changes nothing. */
export async function endSession({ database }: Store, { id, endsAt }: EndedSession): Promise<void> {
  await database.withModels(async client => {
    await client.endedOpsSession.deleteMany({ where: { endsAt: { lt: new Date() } } })
    await client.endedOpsSession.createMany({ data: { id, endsAt }, skipDuplicates: true })
  })
}

/** All unexpired sessions that were ended. There are few: operators sign out by hand. */
export async function listEndedSessions({ database }: Store): Promise<readonly EndedSession[]> {
  return database.read<EndedSession>(sql`
    select id, ends_at as "endsAt" from ended_ops_sessions where ends_at >= now()`)
}
