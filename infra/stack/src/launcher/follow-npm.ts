// npm does not pass SIGTERM on: without this, a launcher would keep running after its npm has ended.
import { execFileSync } from 'node:child_process'
import { basename } from 'node:path'
import { repeat } from '@payment-tracking/runtime'
import { identify, isAlive, type ProcessIdentity } from '../servers/index.js'

const CHECK_EVERY_MS = 500
const SHELLS = new Set(['sh', 'dash', 'bash', 'zsh', 'ash'])

/** @returns the parent of a process and the name of its program; undefined when the system does not show them */
function describeProcess(pid: number): { parent: number; program: string } | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    const [parent, ...program] = line.split(/\s+/)
    return { parent: Number(parent), program: basename(program.join(' ')).replace(/^-/, '') }
  } catch {
    return undefined
  }
}

/** npm, and the shell in which npm runs scripts if that shell stays. */
function findNpm(): ProcessIdentity[] {
  const parent = identify(process.ppid)
  const described = describeProcess(parent.pid)
  if (!described || !SHELLS.has(described.program)) return [parent]
  return [parent, identify(described.parent)]
}

/**
 * Calls `onGone` once when the npm that runs this process has ended. Does nothing when npm did not start the process:
 * then its starter may leave it running on purpose.
 * @returns a function that ends the watch
 */
export function followNpm(env: NodeJS.ProcessEnv, onGone: () => void): () => void {
  if (env.npm_lifecycle_event === undefined) return () => {}
  const npm = findNpm()
  const check = () => {
    if (npm.every(isAlive)) return
    void checking.stop()
    onGone()
  }
  const checking = repeat({ everyMs: CHECK_EVERY_MS, ref: false, run: check, onError: () => {} })
  checking.start()
  return () => void checking.stop()
}
