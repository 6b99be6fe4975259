// Every state of every model within its bounds, and every mutant caught.
import t from 'tap'
import { describeBounds, searchModel, searchMutant, sourceOf } from './engine/models.js'
import { PLANS } from './plans.js'

for (const plan of PLANS) {
  for (const bounds of plan.searches)
    t.test(`${plan.name}: every state keeps every invariant`, async t => {
      const { states, violation } = searchModel(plan, bounds)
      t.equal(violation, null, `${states} states: ${describeBounds(sourceOf(plan.name), bounds)}`)
    })
  for (const mutant of plan.mutants)
    t.test(`${plan.name}: ${mutant.name} is caught`, async t => {
      const { violation } = searchMutant(plan, mutant)
      t.ok(violation?.broken.includes(mutant.breaks), violation?.trace.join(' → ') ?? 'nothing was broken')
    })
}
