// Runs steps one after the other, goes on past a failure, and ends with a table of all.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { runSteps } from './run-steps.mjs'

const HEAD = ['step', 'result', 'time', 'CPU', 'seed', 'again']

/** @returns the command that repeats what failed */
function describeRepeat({ step: { env, script, args, files, minutes }, failedFiles }) {
  if (script) return `npm run ${script} -- ${args.join(' ')}`.replace(/ -- $/, '')
  const settings = { ...env, ...(minutes && { TAP_TIMEOUT: minutes * 60 }) }
  const words = Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  return [...words, 'npm test --', ...(failedFiles.length > 0 ? failedFiles : files)].join(' ')
}

const describeTime = seconds =>
  `${Math.floor(seconds / 60)}:${String(Math.round(seconds) % 60).padStart(2, '0')} min`

function describeResult(result) {
  const { step, failed, error, seconds, cpuSeconds } = result
  const isGood = failed === 0
  const why = error === undefined ? `${failed} failed` : error.split('\n')[0]
  const again = isGood ? '–' : `\`${describeRepeat(result)}\``
  return [
    step.name,
    isGood ? 'ok' : `**${why}**`,
    describeTime(seconds),
    describeTime(cpuSeconds),
    step.env?.SEED ?? '–',
    again,
  ]
}

const drawTable = rows =>
  [HEAD, HEAD.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')

/**
 * @param steps see steps.mjs
 * @param options.table the file that gets the table, in Markdown, after each step
 * @param options.withServers calls its argument with the environment of a set of servers
 * @returns of each step how many assertions `passed` and `failed`
 */
export async function runNight(steps, { table, withServers, signal }) {
  const results = []
  const rows = []
  for (const step of steps) {
    if (signal.aborted) break
    console.log(`step ${results.length + 1} of ${steps.length}: ${step.name} … (SEED=${step.env?.SEED})`)
    const startedAt = Date.now()
    const result = { step, passed: 0, failed: 1, failedFiles: [], seconds: 0, cpuSeconds: 0 }
    try {
      const [ended] = await withServers(env => runSteps([step], { env, signal }))
      Object.assign(result, ended)
    } catch (error) {
      console.error(error)
      result.error = error.message
    }
    result.seconds = (Date.now() - startedAt) / 1_000
    if (result.failed > 0) console.log(`again: ${describeRepeat(result)}`)
    results.push(result)
    rows.push(describeResult(result))
    mkdirSync(dirname(table), { recursive: true })
    writeFileSync(table, `${drawTable(rows)}\n`)
  }
  console.log(`\n${drawTable(rows)}\n`)
  return results
}
