// node scripts/run.mjs test/models/run.ts: searches every model, then its mutants, and prints what was found.
import { readArguments, refuseArguments } from '@payment-tracking/runtime/arguments'
import { describeBounds, searchModel, searchMutant, sourceOf } from './engine/models.js'
import { PLANS } from './plans.js'

const NAMES = PLANS.map(({ name }) => name)
const USAGE = `usage: node scripts/run.mjs test/models/run.ts [NAME...]
  Searches every state of each model within its bounds, then its mutants: minutes for all.
  NAME  ${NAMES.join(', ')} (default: all)`

const { positionals: wanted } = readArguments({ usage: USAGE, options: {}, positionals: NAMES.length })
const unknown = wanted.find(name => !NAMES.includes(name))
if (unknown !== undefined) refuseArguments(USAGE, `there is no model ${unknown}`)
const plans = PLANS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
/** Of computing: a search has one thread, and what else the machine does counts for nothing. */
const secondsSince = (start: NodeJS.CpuUsage): string =>
  `${(process.cpuUsage(start).user / 1_000_000).toFixed(1)} s of CPU`
const count = (number: number): string => number.toLocaleString('en')

for (const plan of plans) {
  for (const bounds of plan.searches) {
    const start = process.cpuUsage()
    console.log(`${plan.name}: ${describeBounds(sourceOf(plan.name), bounds)}`)
    const { states, steps, depth, violation } = searchModel(plan, bounds, found => {
      if (process.stdout.isTTY) process.stdout.write(`  ${count(found)} states …\r`)
    })
    console.log(`  ${count(states)} states, ${count(steps)} steps, depth ${depth}, ${secondsSince(start)}`)
    if (violation) {
      console.log(`  NOT KEPT: ${violation.broken.join(', ')}\n    ${violation.trace.join('\n    ')}`)
      process.exitCode = 1
    }
  }
  for (const mutant of plan.mutants) {
    const { states, violation } = searchMutant(plan, mutant)
    const isCaught = violation?.broken.includes(mutant.breaks)
    if (!isCaught) process.exitCode = 1
    console.log(
      `  ${isCaught ? 'caught' : 'NOT CAUGHT'}: ${mutant.name} (${mutant.breaks}, ${count(states)} states)`,
    )
    console.log(
      `    ${violation?.trace.join(' → ') ?? `kept, or broken otherwise`}${isCaught ? '' : ` ${violation?.broken.join()}`}`,
    )
  }
}
