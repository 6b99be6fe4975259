// Sessions that ended by signing out, for all processes of the dashboard. They are stored in Postgres and cached in
// memory, so that a page needs no query and the queue board works while Postgres is away.
import { repeat, type Logger } from '@payment-tracking/runtime'
import { endSession, listEndedSessions, type EndedSession } from '@payment-tracking/store/admin'
import { type Store } from '@payment-tracking/store/core'

/** How long another process of the dashboard may still accept a session that ended in this process. */
const REFRESH_EVERY_MS = 2_000

export interface EndedSessions {
  /**
   * Whether a session was ended.
   * @throws when Postgres has been away since this process started: the answer is unknown
   */
  has(id: string): Promise<boolean>
  /** @throws when Postgres is away: the session stays open, and the caller must say so */
  end(session: EndedSession): Promise<void>
  close(): void
}

export function openEndedSessions(store: Store, log: Pick<Logger, 'debug'>): EndedSessions {
  let known: Set<string> | undefined
  const refresh = async (): Promise<Set<string>> => {
    known = new Set((await listEndedSessions(store)).map(({ id }) => id))
    return known
  }
  const refreshing = repeat({
    everyMs: REFRESH_EVERY_MS,
    ref: false,
    run: refresh,
    onError: err => log.debug({ err }, 'sessions.refresh-failed'),
  })
  refreshing.start()
  return {
    has: async id => (known ?? (await refresh())).has(id),
    async end(session) {
      await endSession(store, session)
      known?.add(session.id)
    },
    close: () => void refreshing.stop(),
  }
}
