// What each model is searched with, and the ways to break it: a change to its text, and the invariant that must notice.

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
