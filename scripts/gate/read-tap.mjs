// Reads the TAP of one test file.
import { Parser } from 'tap-parser'

/**
 * @param stream what the test file writes
 * @returns counts of its assertions. `ok` is false when an assertion failed, the plan does not match or the output is
 *   incomplete. `output` is the text around the failures, or all text when no single assertion failed.
 */
export async function readTap(stream) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const failures = []
  const lines = []
  const parser = new Parser()
  parser.on('line', line => lines.push(line))
  parser.on('pass', () => (counts.passed += 1))
  parser.on('skip', () => (counts.skipped += 1))
  parser.on('todo', () => (counts.skipped += 1))
  parser.on('fail', result => {
    counts.failed += 1
    failures.push(result.fullname)
  })
  const complete = new Promise(resolve => parser.once('complete', resolve))
  for await (const chunk of stream) parser.write(chunk)
  parser.end()
  const { ok, count } = await complete
  return { ...counts, ok, isEmpty: count === 0, failures, output: lines.join('') }
}
