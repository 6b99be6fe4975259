// What the runner starts ends with it, also when the runner is killed and can end nothing itself.
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('end-abandoned.mjs', import.meta.url))

let pipe

function openPipe() {
  // It has a session of its own, so that it lives on when somebody kills the whole process group of the runner.
  const guard = spawn(process.execPath, [PROGRAM], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  guard.unref()
  guard.stdin.unref()
  return guard.stdin.on('error', () => {})
}

/**
 * @param name what to end: the pid of a process that leads a group, or a name for servers of this process
 * @returns a function; call it when what was named has ended by itself
 */
export function guard(name) {
  pipe ??= openPipe()
  pipe.write(`+${name}\n`)
  return () => pipe.write(`-${name}\n`)
}
