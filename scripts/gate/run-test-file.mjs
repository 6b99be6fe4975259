// Runs one test file as a process group, and reads its TAP.
import { Parser } from 'tap-parser'
import { mapPositions } from './map-positions.mjs'
import { runGroup } from './run-group.mjs'

/** After its time limit a test file reports what hangs. A file that does not end by then is killed this much later. */
const OVERDUE_MS = 15_000

/** Kills a file that is overdue. tap tells its parent each time limit of the whole file; 0 means that the file has ended. */
function limitTime(child, timeoutMs, onTimeout) {
  let timer
  const limit = ms => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      onTimeout()
      child.kill('SIGKILL')
    }, ms + OVERDUE_MS)
  }
  limit(timeoutMs)
  child.on('message', message => {
    if (typeof message?.setTimeout === 'number') limit(message.setTimeout || timeoutMs)
  })
  child.once('exit', () => clearTimeout(timer))
}

/**
 * @param bundle what Node runs
 * @param options.env what the file gets besides the environment of this process
 * @param options.flags of Node
 * @param options.timeoutMs how long the file may take unless it asks for more with `t.setTimeout`
 * @param options.signal ends the file when aborted
 * @returns counts of assertions, `code`, `seconds`, `cpuSeconds` and `timedOut`. `ok` is false when an assertion failed, the plan does not
 *   match or the output is incomplete. `failures` are names of assertions, `output` is all that the file wrote.
 */
export async function runTestFile(bundle, { env, flags = [], timeoutMs, signal }) {
  const startedAt = Date.now()
  const result = { passed: 0, failed: 0, skipped: 0, failures: [], output: '', timedOut: false }
  const parser = new Parser()
  parser.on('line', line => (result.output += line))
  parser.on('pass', () => (result.passed += 1))
  parser.on('skip', () => (result.skipped += 1))
  parser.on('todo', () => (result.skipped += 1))
  parser.on('fail', ({ fullname }) => {
    result.failed += 1
    result.failures.push(fullname)
  })
  const complete = new Promise(resolve => parser.once('complete', resolve))
  const { code, cpuSeconds } = await runGroup([...flags, bundle], {
    env: { ...env, TAP: '1', TAP_TIMEOUT: String(timeoutMs / 1_000) },
    signal,
    stdout: 'pipe',
    onStart: child => {
      child.stdout.pipe(parser)
      limitTime(child, timeoutMs, () => (result.timedOut = true))
    },
  })
  const ok = (await complete).ok && code === 0 && !signal.aborted
  const output = ok ? result.output : mapPositions(result.output)
  return { ...result, output, ok, code, cpuSeconds, seconds: (Date.now() - startedAt) / 1_000 }
}
