// Runs the test files of one process as a process group, and reads its TAP by tap's own parser: `tap run` adds 1.1 s of CPU to a run
// and `t.spawn` 0.13 s to each process.
import { Parser } from 'tap-parser'
import { mapPositions } from './map-positions.mjs'
import { runGroup } from './run-group.mjs'

/** After its time limit a test file reports what hangs. A process that does not end by then is killed this much later. */
const OVERDUE_MS = 15_000

/** Kills a process that is overdue. tap tells its parent each time limit of its root; 0 means that the root has none. */
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

/** After each file, the process says what the file computed. */
const COMPUTED = /^# cpu=([\d.]+)$/m

/** Reads the TAP of files that run one after the other, each as a subtest that is named for its file. */
function readFiles(files, onFile) {
  const waiting = files.map(file => ({ file, passed: 0, failed: 0, skipped: 0, failures: [], output: '' }))
  let startedAt = Date.now()
  const report = why => {
    const { isGood = false, cpuSeconds = 0, ...result } = waiting.shift()
    const ok = isGood && result.failed === 0 && why === undefined
    const output = ok ? '' : mapPositions(result.output)
    onFile({ ...result, ok, why, output, cpuSeconds, seconds: (Date.now() - startedAt) / 1_000 })
    startedAt = Date.now()
  }
  const parser = new Parser()
  const note = (event, add) => parser.on(event, data => waiting.length > 0 && add(waiting[0], data))
  note('line', (result, line) => (result.output += line))
  note('pass', result => (result.passed += 1))
  note('skip', result => (result.skipped += 1))
  note('todo', result => (result.skipped += 1))
  note('fail', (result, { fullname }) => {
    result.failed += 1
    result.failures.push(fullname.replace(`${result.file} > `, ''))
  })
  note('assert', (result, { name, ok }) => (result.isGood = ok && name === result.file))
  note('comment', (result, comment) => {
    const computed = COMPUTED.exec(comment)
    if (!computed) return
    result.cpuSeconds = Number(computed[1])
    // The last file is reported when the process has ended: the process may still fail.
    if (waiting.length > 1) report()
  })
  const complete = new Promise(resolve => parser.once('complete', resolve))
  return { parser, complete, waiting, report }
}

/**
 * Runs test files in one process, one file after the other.
 * @param files their paths
 * @param bundle the file that Node runs: it imports all test files
 * @param options.env variables that the process gets beside those of this process
 * @param options.flags options for Node
 * @param options.timeoutMs how long each file may take unless it asks for more with `t.setTimeout`
 * @param options.signal ends the process when aborted
 * @param options.onFile called with the result of each file, when it has ended: counts of assertions, `seconds`,
 *   `cpuSeconds` and `ok`, which is false when an assertion failed, the plan does not match or the output is incomplete.
 *   `failures` are names of assertions, `output` is all that a file wrote that is not ok, and `why` says what ended it.
 * @returns the seconds of CPU of the process and of all that it waited for
 */
export async function runTestFiles(files, bundle, { env, flags = [], timeoutMs, signal, onFile }) {
  const { parser, complete, waiting, report } = readFiles(files, onFile)
  let timedOut = false
  const { code, cpuSeconds } = await runGroup([...flags, bundle], {
    env: { ...env, TAP: '1', TAP_TIMEOUT: String(timeoutMs / 1_000) },
    signal,
    stdout: 'pipe',
    onStart: child => {
      child.stdout.pipe(parser)
      limitTime(child, timeoutMs, () => (timedOut = true))
    },
  })
  const { ok, count, plan } = await complete
  const isWhole = count === files.length && plan.end === count && code === Number(!ok) && !signal.aborted
  if (isWhole) report()
  else report(timedOut ? 'killed: it did not end by itself after its time limit' : `ended with ${code}`)
  while (waiting.length > 0) report('not run: the process had ended')
  return cpuSeconds
}
