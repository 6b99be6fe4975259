// Traces of a model, drawn with weights: an even draw hardly ever reaches what takes many steps. The steps are those of the
// search, which search.night.test.ts compares with Quint's own.
import { mulberry32 } from '@payment-tracking/testkit'
import { loadModel, type Step } from '../engine/compile-model.js'
import { fileOf } from '../engine/models.js'
import { QuintList, QuintMap, QuintRecord, QuintSet, type Value } from '../engine/quint-values.js'

/** A value of a trace: maps are objects by the text of their keys, sets and tuples are lists. */
// Each model has its own shape.
// oxlint-disable-next-line typescript/no-explicit-any
export type TraceValue = any

export interface TraceStep {
  action: string
  /** what was chosen, by name */
  picks: Record<string, TraceValue>
  /** after the step */
  state: TraceValue
}

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

function toPlain(value: Value): TraceValue {
  if (value instanceof QuintRecord) return plainFields(value.value)
  if (value instanceof QuintList) return value.value.map(toPlain)
  if (value instanceof QuintSet) return Array.from(value.items(), toPlain)
  if (!(value instanceof QuintMap)) return value
  return Object.fromEntries(
    Array.from(value.value.values(), ([key, item]) => [String(toPlain(key)), toPlain(item)]),
  )
}
const plainFields = (fields: Readonly<Record<string, Value>>): Record<string, TraceValue> =>
  Object.fromEntries(Object.entries(fields).map(([name, item]) => [name, toPlain(item)]))

const nameOf = ({ action }: Step): string => action.split('(')[0]!

/** @returns traces, each without its first state */
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
    return trace.map(step => ({
      action: nameOf(step),
      picks: plainFields(step.picks()),
      state: toPlain(step.state),
    }))
  })
}
