// What each model is searched with, and the ways to break it. mutants/<name>.diff has of each mutant its name, one of the
// invariants that break first, the bounds, and the text that takes the place of another one.
import { readFileSync } from 'node:fs'

/** Replaces `pure val NAME = …`. */
export type Bounds = Readonly<Record<string, string>>

export interface Mutant {
  name: string
  find: string
  replace: string
  /** one of the invariants that break first */
  breaks: string
  bounds: Bounds
}

export interface ModelPlan {
  /** test/models/<name>.qnt */
  name: string
  /** searched to the end, each in at most three minutes */
  searches: readonly Bounds[]
  mutants: readonly Mutant[]
}

/** @param bounds those of the searches */
function planOf(name: string, bounds: Record<string, Bounds>): ModelPlan {
  const text = readFileSync(new URL(`mutants/${name}.diff`, import.meta.url), 'utf8')
  const mutants = text
    .split(/^@@ /m)
    .slice(1)
    .map(part => {
      const [head, ...lines] = part.split('\n')
      const [, title, breaks, within] = /^(.*): (\w+), (\w+)$/.exec(head!)!
      const textOf = (mark: string) =>
        lines
          .filter(line => line.startsWith(mark))
          .map(line => line.slice(1))
          .join('\n')
      return {
        name: title!,
        breaks: breaks!,
        bounds: bounds[within!]!,
        find: textOf('-'),
        replace: textOf('+'),
      }
    })
  return { name, searches: Object.values(bounds), mutants }
}

const LOST = { CLIENTS: 'Set(1)', RETRACTED: 'Set()', FENCES: 'false', LOSSES: '1' }
export const PLANS: readonly ModelPlan[] = [
  planOf('deliveries', {
    ONE_DELIVERY: { DELIVERIES: 'Set(1)', ORDERED: 'false' },
    IN_ORDER: { WORKERS: 'Set(1)', REDELIVERIES: '0', MOST_ATTEMPTS: '2' },
  }),
  planOf('notification', {
    /** Two clients of one room, one of which asks for some payments only. */
    TWO_CLIENTS: { RETRACTED: 'Set()', FENCES: 'false' },
    /** One client, a retraction, and a pod that fences itself. */
    FENCED: { CLIENTS: 'Set(1)' },
    /** One client, and a standby that lacks commits. */
    LOST,
    /** The same with a client that sends no epoch. */
    NAMELESS: { ...LOST, CLIENTS: 'Set(3)' },
  }),
]
