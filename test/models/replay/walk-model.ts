// Traces of a model, drawn with weights: an even draw hardly ever reaches what takes many steps. The steps are those of the
// search, which models.test.ts compares with Quint's own.
import { loadModel, type State } from '../engine/compile-model.js'
import { QuintList, QuintMap, QuintRecord, QuintSet, type Value } from '../engine/quint-values.js'
import { fileOf } from '../engine/models.js'
import type { TraceStep, TraceValue } from './read-traces.js'

export interface Walk {
  name: string
  /** the text of the model */
  source: string
  traces: number
  steps: number
  seed: number
  /** how often an action is taken, against others; 1 for an action that is not named */
  weights: Readonly<Record<string, number>>
  /** what each action chooses, by name */
  picks: Readonly<Record<string, readonly string[]>>
}

/** Numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function toPlain(value: Value): TraceValue {
  if (value instanceof QuintRecord)
    return Object.fromEntries(Object.entries(value.value).map(([name, item]) => [name, toPlain(item)]))
  if (value instanceof QuintList) return value.value.map(toPlain)
  if (value instanceof QuintSet) return Array.from(value.items(), toPlain)
  if (value instanceof QuintMap)
    return Object.fromEntries(Array.from(value.value, ([key, [, item]]) => [key, toPlain(item)]))
  return value
}

/** As `keyOf` wrote it. */
function readPick(text: string): TraceValue {
  const fields = /^{(.*)}$/.exec(text)
  if (fields)
    return Object.fromEntries(
      fields[1]!.split(',').map(field => [field.split(':')[0]!, readPick(field.split(':')[1]!)]),
    )
  if (text === 'true' || text === 'false') return text === 'true'
  return Number.isNaN(Number(text)) ? text : Number(text)
}

/** @returns traces, each without its first state; a trace ends where no step is possible */
export function walkModel({ name, source, traces, steps, seed, weights, picks }: Walk): TraceStep[][] {
  const model = loadModel(fileOf(name), source)
  return Array.from({ length: traces }, (_, number) => {
    const random = randomOf(seed * 1_000 + number)
    const trace: TraceStep[] = []
    let state: State = model.init()
    while (trace.length < steps) {
      const possible = model.stepsFrom(state).map(step => ({ ...step, name: step.action.split('(')[0]! }))
      const weightOf = ({ name }: { name: string }) => weights[name] ?? 1
      let left = random() * possible.reduce((sum, step) => sum + weightOf(step), 0)
      const taken = possible.find(step => (left -= weightOf(step)) < 0)
      if (!taken) break
      const chosen = taken.action.slice(taken.name.length + 1, -1).split(', ')
      const named = (picks[taken.name] ?? []).map((pick, at) => [pick, readPick(chosen[at]!)])
      state = taken.state
      trace.push({ action: taken.name, picks: Object.fromEntries(named), state: toPlain(state), key: '' })
    }
    return trace
  })
}
