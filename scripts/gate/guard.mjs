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
 * Ends a process group or servers, should this process die.
 * @param name the pid of the process that leads the group, or the name under which this process opened the servers
 * @returns a function for the caller, once the group or the servers have ended by themselves
 */
export function guard(name) {
  pipe ??= openPipe()
  pipe.write(`+${name}\n`)
  return () => pipe.write(`-${name}\n`)
}
