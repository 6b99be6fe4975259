// Runs one test file as a separate process, and ends every process that it leaves behind.
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { readTap } from './read-tap.mjs'

/** Ends the file's whole process group when the runner is killed. */
const END_WITH_RUNNER = new URL('./end-with-runner.mjs', import.meta.url).href
/** After its time limit a test file reports what hangs. A file that does not end by then is killed this much later. */
const OVERDUE_MS = 15_000
/** A launcher that a killed test file left behind stops its servers within this time. */
const GROUP_STOP_MS = 20_000

/** @returns whether the process group had a member to signal */
function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal)
    return true
  } catch (error) {
    // EPERM: only zombie processes are left (macOS).
    if (error.code === 'ESRCH' || error.code === 'EPERM') return false
    throw error
  }
}

/** Stops the processes that the file left in its group; kills those that do not stop. @returns how many ms it took */
async function endGroup(pid) {
  if (!signalGroup(pid, 0)) return
  signalGroup(pid, 'SIGTERM')
  for (const end = Date.now() + GROUP_STOP_MS; Date.now() < end; await sleep(50)) {
    if (!signalGroup(pid, 0)) return
  }
  signalGroup(pid, 'SIGKILL')
}

/**
 * @param file names it in the result
 * @param options.bundle what Node runs
 * @param options.env what the file gets besides the environment of this process
 * @param options.timeoutMs how long the file may take unless it asks for more with `t.setTimeout`
 * @param options.signal ends the file when aborted
 * @returns `readTap`'s result with the file's name, `seconds`, `cpuSeconds`, `timedOut` and `code`
 */
export async function runTestFile(file, { bundle, cwd, env, timeoutMs, signal }) {
  const startedAt = Date.now()
  const child = spawn(process.execPath, ['--enable-source-maps', '--import', END_WITH_RUNNER, bundle], {
    cwd,
    env: { ...process.env, ...env, TAP: '1', TAP_TIMEOUT: String(timeoutMs / 1_000) },
    // A separate process group, so that every process that the file started can be found.
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  let timedOut = false
  const kill = () => {
    timedOut = true
    child.kill('SIGKILL')
  }
  let overdue = setTimeout(kill, timeoutMs + OVERDUE_MS)
  // tap tells its parent each time limit that it sets for the whole file; 0 means that the file has ended.
  let cpuSeconds = 0
  child.on('message', message => {
    cpuSeconds = message?.cpuSeconds ?? cpuSeconds
    if (typeof message?.setTimeout !== 'number') return
    clearTimeout(overdue)
    overdue = setTimeout(kill, (message.setTimeout || timeoutMs) + OVERDUE_MS)
  })
  const onAbort = () => signalGroup(child.pid, 'SIGTERM')
  signal?.addEventListener('abort', onAbort)
  const exited = new Promise(resolve => {
    child.once('error', error => resolve(error.message))
    child.once('exit', (code, reason) => resolve(reason ?? code))
  })
  const reading = readTap(child.stdout)
  const code = await exited
  clearTimeout(overdue)
  if (child.pid !== undefined) await endGroup(child.pid)
  const report = await reading
  signal?.removeEventListener('abort', onAbort)
  const ok = report.ok && code === 0 && !signal?.aborted
  return { file, ...report, ok, code, timedOut, seconds: (Date.now() - startedAt) / 1_000, cpuSeconds }
}
