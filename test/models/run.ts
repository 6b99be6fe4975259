// npm run models: searches every model, then its mutants, and prints what was found.
import { describeBounds, searchModel, searchMutant, sourceOf } from './engine/models.js'
import { PLANS } from './plans/index.js'

const wanted = process.argv.slice(2)
const plans = PLANS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
if (plans.length === 0) throw new Error(`there are: ${PLANS.map(({ name }) => name).join(', ')}`)
const seconds = (sinceMs: number): string => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`
const count = (number: number): string => number.toLocaleString('en')

for (const plan of plans) {
  for (const bounds of plan.searches) {
    const startMs = Date.now()
    const { states, steps, depth, violation } = searchModel(plan, bounds)
    console.log(`${plan.name}: ${describeBounds(sourceOf(plan.name), bounds)}`)
    console.log(`  ${count(states)} states, ${count(steps)} steps, depth ${depth}, ${seconds(startMs)}`)
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
