// Identifies processes safely: the system reuses pids, so a pid counts only together with its start time.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ProcessIdentity {
  pid: number
  /** The start time, in the system's own form; only compared for equality. */
  birth: string
}

const hasProc = existsSync('/proc/self/stat')
const bootId = hasProc ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : ''

/** @returns undefined when no such process lives; a zombie counts as dead */
export function birthOf(pid: number): string | undefined {
  if (hasProc) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      // The command name stands in parentheses and may hold spaces; state is the first field after it.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return fields[0] === 'Z' || fields[0] === 'X' ? undefined : `${bootId}:${fields[19]}`
    } catch {
      return undefined
    }
  }
  const ps = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' })
  const line = ps.stdout?.trim()
  return !line || line.startsWith('Z') ? undefined : line.slice(line.indexOf(' ') + 1).trim()
}

export const identify = (pid: number): ProcessIdentity => ({ pid, birth: birthOf(pid) ?? 'gone' })

/** Whether exactly the identified process still lives. */
export const isAlive = ({ pid, birth }: ProcessIdentity): boolean => birthOf(pid) === birth

/** Sends a signal to the process and its group, if it is still the same one. */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals, group = false): void {
  if (!isAlive(identity)) return
  try {
    process.kill(group ? -identity.pid : identity.pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** @returns whether the process died within the time */
export async function waitForDeath(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const end = Date.now() + timeoutMs
  while (isAlive(identity)) {
    if (Date.now() > end) return false
    await sleep(15)
  }
  return true
}

/** Asks a process to stop, and kills it when the time is over. */
export async function stopProcess(
  identity: ProcessIdentity,
  signal: NodeJS.Signals,
  graceMs: number,
): Promise<void> {
  signalProcess(identity, signal)
  if (await waitForDeath(identity, graceMs)) return
  signalProcess(identity, 'SIGKILL')
  await waitForDeath(identity, 5_000)
}
