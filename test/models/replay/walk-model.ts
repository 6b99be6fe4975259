// Traces of a model, drawn with weights: an even draw hardly ever reaches what takes many steps. The steps are those of the
// search, which search.night.test.ts compares with Quint's own; the traces are written and read in the format of Quint's (ITF).
import { mulberry32 } from '@payment-tracking/testkit'
import { loadModel, type Model, type Step } from '../engine/compile-model.js'
import { QuintList, QuintMap, QuintRecord, QuintSet, type Value } from '../engine/quint-values.js'
import { fileOf } from '../engine/models.js'
import { readItf, type TraceStep, type TraceValue } from './read-traces.js'

export interface Walk {
  name: string
  /** the text of the model */
  source: string
  traces: number
  steps: number
  seed: number
  /** how often an action is taken, against others; 1 for an action that is not named */
  weights: Readonly<Record<string, number>>
}

/** A value in Apalache's trace format. */
function toItf(value: Value): TraceValue {
  if (value instanceof QuintRecord)
    return Object.fromEntries(Object.entries(value.value).map(([name, item]) => [name, toItf(item)]))
  if (value instanceof QuintList) return value.value.map(toItf)
  if (value instanceof QuintSet) return { '#set': Array.from(value.items(), toItf) }
  if (value instanceof QuintMap)
    return { '#map': Array.from(value.value.values(), ([key, item]) => [toItf(key), toItf(item)]) }
  return typeof value === 'number' ? { '#bigint': String(value) } : value
}

const nameOf = ({ action }: Step): string => action.split('(')[0]!

/** The text of a trace, as `quint run --mbt --out-itf` writes it. */
function itfOf(model: Model, steps: readonly Step[]): string {
  const first = { 'mbt::actionTaken': 'init', 'mbt::nondetPicks': {}, s: toItf(model.init()) }
  const rest = steps.map(step => ({
    'mbt::actionTaken': nameOf(step),
    'mbt::nondetPicks': Object.fromEntries(
      Object.entries(step.picks()).map(([name, value]) => [name, { tag: 'Some', value: toItf(value) }]),
    ),
    s: toItf(step.state),
  }))
  return JSON.stringify({ vars: ['s'], states: [first, ...rest] })
}

/** @returns traces, each without its first state; a trace ends where no step is possible */
export function walkModel({ name, source, traces, steps, seed, weights }: Walk): TraceStep[][] {
  const model = loadModel(fileOf(name), source)
  const weightOf = (step: Step) => weights[nameOf(step)] ?? 1
  return Array.from({ length: traces }, (_, number) => {
    const random = mulberry32(seed * 1_000 + number)
    const trace: Step[] = []
    while (trace.length < steps) {
      const possible = model.stepsFrom(trace.at(-1)?.state ?? model.init())
      let left = random() * possible.reduce((sum, step) => sum + weightOf(step), 0)
      const taken = possible.find(step => (left -= weightOf(step)) < 0)
      if (!taken) break
      trace.push(taken)
    }
    return readItf(itfOf(model, trace))
  })
}

/** The trace of these steps, such as `tick(0)`. @throws Error where the model does not have the next one */
export function followModel(name: string, source: string, actions: readonly string[]): TraceStep[] {
  const model = loadModel(fileOf(name), source)
  const trace: Step[] = []
  for (const action of actions) {
    const possible = model.stepsFrom(trace.at(-1)?.state ?? model.init())
    const taken = possible.find(step => step.action === action)
    if (!taken) throw new Error(`no ${action} among ${possible.map(step => step.action).join(', ')}`)
    trace.push(taken)
  }
  return readItf(itfOf(model, trace))
}
