// What the runner starts ends with it, also when the runner is killed and can end nothing itself.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('end-abandoned.mjs', import.meta.url))

let pipe

function openPipe() {
  // Somebody may kill the process group of the runner. The guard has a session of its own and lives on.
  const guard = spawn(process.execPath, [PROGRAM], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  guard.unref()
  guard.stdin.unref()
  return guard.stdin.on('error', () => {})
}

/**
 * Asks the guard to end a group of processes, or a set of servers, when this process dies.
 * @param name for a group, the pid of its first process; for servers, the name under which they were opened
 * @returns a function that tells the guard to leave them alone. Call it when they have ended
 */
export function guard(name) {
  pipe ??= openPipe()
  pipe.write(`+${name}\n`)
  return () => pipe.write(`-${name}\n`)
}
