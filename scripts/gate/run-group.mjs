// Runs Node as the head of a process group, so that every process that it leaves behind can be found and ended.
import { spawn } from 'node:child_process'
import { chooseNode } from './choose-node.mjs'
import { endGroup } from './end-group.mjs'
import { guard } from './guard.mjs'

/** Preloaded: says what the process computed. */
const REPORT_CPU = new URL('./report-cpu.mjs', import.meta.url).href

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
  const child = spawn(node.program, ['--import', REPORT_CPU, ...args], {
    env: { ...process.env, ...node.env, ...env },
    detached: true,
    stdio: ['ignore', stdout, 'inherit', 'ipc'],
  })
  const onEnded = guard(child.pid)
  const stop = () => endGroup(child.pid)
  signal.addEventListener('abort', stop)
  if (signal.aborted) void stop()
  let cpuSeconds = 0
  child.on('message', message => (cpuSeconds = message?.cpuSeconds ?? cpuSeconds))
  onStart(child)
  const code = await new Promise((resolve, reject) =>
    child.once('error', reject).once('exit', (number, reason) => resolve(reason ?? number)),
  )
  signal.removeEventListener('abort', stop)
  await stop()
  onEnded()
  return { code, cpuSeconds }
}
