// Lint, format and types, in the time that tests leave idle.
import { run } from '../set-up/run.mjs'
import { secondsSince } from './seconds-since.mjs'

/** Scripts of package.json. */
const CHECKS = ['lint', 'format', 'types']

async function check(name, signal) {
  const startedAt = Date.now()
  try {
    await run('nice', ['-n', '10', 'npm', 'run', '--silent', name], { signal })
    console.log(`ok ${name} (${secondsSince(startedAt)})`)
    return true
  } catch (error) {
    console.log(`${error.message}\nnot ok ${name}`)
    return false
  }
}

/** @returns how many of the checks passed and failed */
export async function checkCode(signal) {
  const totals = { passed: 0, failed: 0 }
  for (const name of CHECKS) totals[(await check(name, signal)) ? 'passed' : 'failed'] += 1
  return totals
}
