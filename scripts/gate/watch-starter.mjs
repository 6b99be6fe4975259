// Ends a run that nobody waits for: npm or CI was killed before it could tell its children, and the run would compute beside the next
// one. Whoever put the run into the background on purpose keeps it.
import { readFileSync } from 'node:fs'

const CHECK_EVERY_MS = 500

/** A leader of a session, as `setsid` makes, has left its starter. */
function leadsSession() {
  try {
    return readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')[3] === String(process.pid)
  } catch {
    return false
  }
}

/**
 * Calls `onGone` once with the reason, when the reader of stdout or the process that started this one has ended. npm always waits for
 * its script. Another starter waits where RUN_IN_FOREGROUND says so (.ci/run); a shell may end before what it put into the background.
 */
export function watchStarter(env, onGone) {
  process.stdout.on('error', () => onGone('nobody reads the output'))
  const waits = env.npm_lifecycle_event !== undefined || env.RUN_IN_FOREGROUND !== undefined
  if (!waits || leadsSession()) return
  const starter = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === starter) return
    clearInterval(timer)
    onGone('the process that started it has ended')
  }, CHECK_EVERY_MS)
  timer.unref()
}
