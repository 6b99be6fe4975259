// Every state that a model can reach within its bounds, breadth first: a broken invariant is found by a shortest trace.
import type { Model, State } from './compile-model.js'
import { keyOf } from './quint-values.js'

export interface Found {
  /** distinct states */
  states: number
  /** steps that were tried and possible */
  steps: number
  /** how far the farthest state is from the first */
  depth: number
  /** null when every state that was reached keeps every invariant */
  violation: { broken: string[]; trace: string[] } | null
}

interface Reached {
  state: State
  from: Reached | null
  by: string
  depth: number
}

export function search(model: Model): Found {
  const first: Reached = { state: model.init(), from: null, by: 'init', depth: 0 }
  const seen = new Set([keyOf(first.state)])
  let [steps, depth] = [0, 0]
  const end = (violation: Found['violation']): Found => ({ states: seen.size, steps, depth, violation })
  const brokenAtFirst = model.broken(first.state)
  if (brokenAtFirst.length > 0) return end({ broken: brokenAtFirst, trace: [] })
  let level = [first]
  while (level.length > 0) {
    const next: Reached[] = []
    for (const reached of level) {
      for (const { action, state } of model.stepsFrom(reached.state)) {
        steps += 1
        const key = keyOf(state)
        if (seen.has(key)) continue
        seen.add(key)
        const here = { state, from: reached, by: action, depth: reached.depth + 1 }
        depth = here.depth
        const broken = model.broken(state)
        if (broken.length > 0) return end({ broken, trace: traceTo(here) })
        next.push(here)
      }
    }
    level = next
  }
  return end(null)
}

function traceTo(reached: Reached): string[] {
  const trace: string[] = []
  for (let at: Reached | null = reached; at?.from; at = at.from) trace.unshift(at.by)
  return trace
}
