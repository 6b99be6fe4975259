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

/** @param bounds those of the searches, and `others` of mutants alone */
function planOf(
  name: string,
  bounds: Record<string, Bounds>,
  others: Record<string, Bounds> = {},
): ModelPlan {
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
      const of = { ...bounds, ...others }[within!]!
      return { name: title!, breaks: breaks!, bounds: of, find: textOf('-'), replace: textOf('+') }
    })
  return { name, searches: Object.values(bounds), mutants }
}

const LOST = { CLIENTS: 'Set(1)', RETRACTED: 'Set()', FENCES: 'false', LOSSES: '1' }
/** Ticks of half a lease, without drift. */
const COARSE = { LEASE: '2', FENCE: '1', RECOVERY: '3', DRIFTS: 'false' }
/** Redis keeps everything, and pods begin anew. */
const PAUSED = { ...COARSE, LOSSES: '0' }
const FLUSHED = { ...COARSE, BEGINS: '1' }
const FAILED_OVER = { ...FLUSHED, LOSS: '"failover"' }

export const PLANS: readonly ModelPlan[] = [
  planOf('deliveries', {
    ONE_DELIVERY: { DELIVERIES: 'Set(1)', ORDERED: 'false' },
    IN_ORDER: { WORKERS: 'Set(1)', REDELIVERIES: '0', MOST_ATTEMPTS: '2' },
  }),
  planOf('ingest', {
    /** No server is lost: two writers and every message. */
    TWO_WRITERS: { LOSSES: '0' },
    /** One writer, and a standby that lacks commits. */
    PROMOTED: { WRITERS: 'Set(1)', LOSSES: '1', CRASHES: '0' },
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
  planOf(
    'seats',
    {
      PAUSED,
      /** The same with clocks that drift, without a second lease. */
      DRIFTING: { ...PAUSED, BEGINS: '1', DRIFTS: 'true' },
      FLUSHED,
      FAILED_OVER,
    },
    { FLUSHED_TWICE: { ...FLUSHED, BEGINS: '2' }, FAILED_OVER_TWICE: { ...FAILED_OVER, BEGINS: '2' } },
  ),
]
