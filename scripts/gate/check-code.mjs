// Lint, format and types, in the time that tests leave idle.
import { run } from '../set-up/run.mjs'
import { secondsSince } from './seconds-since.mjs'

const CHECKS = {
  lint: ['node_modules/oxlint/bin/oxlint'],
  format: ['node_modules/oxfmt/bin/oxfmt', '--check'],
  types: ['node_modules/typescript-7/bin/tsc', '--noEmit', '-p', '.'],
}

async function check(name, args, signal) {
  const startedAt = Date.now()
  try {
    await run('nice', ['-n', '10', process.execPath, ...args], { signal })
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
  for (const [name, args] of Object.entries(CHECKS)) {
    totals[(await check(name, args, signal)) ? 'passed' : 'failed'] += 1
  }
  return totals
}
