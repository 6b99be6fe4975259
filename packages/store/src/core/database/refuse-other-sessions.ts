import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from './open-store.js'
import { checkSession, SessionSettingsError } from './session-settings.js'

const PATIENCE_MS = 2_000

/**
 * Ends the start of a process whose database has other settings. A database that is away is checked when it answers, by
 * `ping`.
 * @throws SessionSettingsError
 */
export async function refuseOtherSessions({ database }: Store): Promise<void> {
  const checked = checkSession(database).catch((error: unknown) => {
    if (error instanceof SessionSettingsError) throw error
  })
  await Promise.race([checked, sleep(PATIENCE_MS, undefined, { ref: false })])
}
