import { setTimeout as sleep } from 'node:timers/promises'

/** A launcher of servers, and containers, have stopped by then. */
const STOP_MS = 30_000

/** @returns whether the process group had a member to signal */
function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal)
    return true
  } catch (error) {
    // macOS says EPERM when only zombie processes are left.
    if (error.code === 'ESRCH' || error.code === 'EPERM') return false
    throw error
  }
}

/**
 * Stops the processes of a group; kills those that do not stop.
 * @param pid of the process that leads the group
 */
export async function endGroup(pid) {
  signalGroup(pid, 'SIGTERM')
  for (const end = Date.now() + STOP_MS; Date.now() < end; await sleep(50)) {
    if (!signalGroup(pid, 0)) return
  }
  signalGroup(pid, 'SIGKILL')
}
