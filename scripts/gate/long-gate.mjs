// What `npm run test:long` does.
import { spawn } from 'node:child_process'
import { setUp } from '../set-up.mjs'
import { ROOT } from '../set-up/run.mjs'
import { STEPS } from './long-steps.mjs'
import { secondsSince } from './seconds-since.mjs'
import { addTotals, describeCounts } from './totals.mjs'
import { useMemoryForFiles } from './use-memory-for-files.mjs'

/** How long a command that is stopped may take to end the processes that it started. */
const STOP_MS = 30_000

/** Runs a program in a process group of its own. @returns 1 passed or 1 failed */
async function runCommand([file, ...args], env, signal) {
  const child = spawn(file, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
  const send = name => {
    try {
      process.kill(-child.pid, name)
    } catch {
      // It has ended.
    }
  }
  let force
  const stop = () => {
    send('SIGTERM')
    force = setTimeout(send, STOP_MS, 'SIGKILL')
  }
  signal.addEventListener('abort', stop)
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve))
  signal.removeEventListener('abort', stop)
  clearTimeout(force)
  send('SIGKILL')
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

/** Runs one step within its budget. @returns its counts */
async function runStep({ name, minutes, files, command, env: own }, servers, stopping) {
  const { runTestFiles } = await import('./run-test-files.mjs')
  const { removeAbandonedServers } = await import('./with-servers.mjs')
  const startedAt = Date.now()
  if (own?.SEED) console.log(`SEED=${own.SEED}`)
  const budget = new AbortController()
  const timer = setTimeout(() => budget.abort(), minutes * 60_000)
  const signal = AbortSignal.any([stopping, budget.signal])
  try {
    const env = { ...servers, TAP_TIMEOUT: String(minutes * 60), ...own }
    const totals = command
      ? await runCommand(command, env, signal)
      : await runTestFiles(files, {
          cwd: ROOT,
          env,
          signal,
          timeoutMs: minutes * 60_000,
          afterFailure: removeAbandonedServers,
        })
    if (budget.signal.aborted)
      console.log(`${name} took longer than its budget of ${minutes} min and was ended`)
    const counts = addTotals(totals, { passed: 0, failed: budget.signal.aborted ? 1 : 0 })
    const time = `${secondsSince(startedAt)} of ${minutes} min`
    console.log(`${counts.failed === 0 ? 'ok' : 'not ok'} step ${name} (${time}, ${describeCounts(counts)})`)
    return counts
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Sets up, then runs the steps one after the other.
 * @param options.only names of the steps to run; all when empty
 * @returns the counts of all steps
 * @throws Error when a name is unknown, or when the set-up or a server fails
 */
export async function runLongGate({ only = [], signal }) {
  const unknown = only.filter(name => !STEPS.some(step => step.name === name))
  if (unknown.length > 0)
    throw new Error(
      `no step is called ${unknown.join(', ')}; there are: ${STEPS.map(({ name }) => name).join(', ')}`,
    )
  useMemoryForFiles()
  await setUp(line => console.log(line))
  const { withServers } = await import('./with-servers.mjs')
  const steps = only.length > 0 ? STEPS.filter(({ name }) => only.includes(name)) : STEPS
  return withServers(
    line => console.log(line),
    async servers => {
      let totals = { passed: 0, failed: 0 }
      for (const [index, step] of steps.entries()) {
        if (signal.aborted) return addTotals(totals, { passed: 0, failed: 1 })
        console.log(`step ${index + 1} of ${steps.length}: ${step.name} …`)
        totals = addTotals(totals, await runStep(step, servers, signal))
      }
      return totals
    },
  )
}
