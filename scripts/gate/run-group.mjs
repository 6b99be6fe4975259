// Runs Node as the head of a process group, so that every process that it leaves behind can be found and ended.
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { chooseNode } from './choose-node.mjs'

/** Preloaded: ends the whole group when the process that runs it is killed. */
const END_WITH_RUNNER = new URL('./end-with-runner.mjs', import.meta.url).href
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

/** Stops the processes of a group; kills those that do not stop. */
async function endGroup(pid) {
  signalGroup(pid, 'SIGTERM')
  for (const end = Date.now() + STOP_MS; Date.now() < end; await sleep(50)) {
    if (!signalGroup(pid, 0)) return
  }
  signalGroup(pid, 'SIGKILL')
}

/**
 * Runs Node, and returns when no process of its group is left.
 * @param args the arguments of Node
 * @param options.env variables that are added to the environment; TEST_NODE chooses the version of Node
 * @param options.signal an aborted signal ends the group
 * @param options.stdout `inherit`; or `pipe`, so that `onStart` can read it
 * @param options.onStart called with the process
 * @returns `code`, the exit code or the name of the signal that ended Node, and `cpuSeconds` of all processes that it waited for
 */
export async function runGroup(args, { env, signal, stdout = 'inherit', onStart = () => {} }) {
  const node = await chooseNode(env?.TEST_NODE ?? process.env.TEST_NODE)
  const child = spawn(node.program, ['--import', END_WITH_RUNNER, ...args], {
    env: { ...process.env, ...node.env, ...env },
    detached: true,
    stdio: ['ignore', stdout, 'inherit', 'ipc'],
  })
  const stop = () => endGroup(child.pid)
  signal.addEventListener('abort', stop)
  let cpuSeconds = 0
  child.on('message', message => (cpuSeconds = message?.cpuSeconds ?? cpuSeconds))
  onStart(child)
  const code = await new Promise((resolve, reject) =>
    child.once('error', reject).once('exit', (number, reason) => resolve(reason ?? number)),
  )
  signal.removeEventListener('abort', stop)
  await stop()
  return { code, cpuSeconds }
}
