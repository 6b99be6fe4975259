// Quint's own evaluator takes no step that the search of the models does not take.
import t from 'tap'
import { loadModel } from './engine/compile-model.js'
import { boundedSource, fileOf } from './engine/models.js'
import { keyOf } from './engine/quint-values.js'
import { PLANS } from './plans.js'
import { drawTraces } from './replay/read-traces.js'

for (const { name, searches } of PLANS)
  t.test(`${name}: the search takes each step that Quint's own evaluator takes`, async t => {
    const source = boundedSource(name, searches[0]!)
    const model = loadModel(fileOf(name), source)
    let steps = 0
    for (const trace of await drawTraces({ source, traces: 5, steps: 25, seed: 1 })) {
      let state = model.init()
      for (const { action, key } of trace) {
        const next = model.stepsFrom(state).find(step => keyOf(step.state) === key)
        if (!next) return t.fail(`${action} of Quint is no step of the search`)
        state = next.state
        steps += 1
      }
    }
    t.ok(steps > 40, `${steps} steps`)
  })
