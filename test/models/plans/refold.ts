// What refold.qnt is searched with, and its mutants.
import type { Bounds, ModelPlan } from '../model-plan.js'

const BY_DIFFERENCE: Bounds = {}
/** Four payments of a policy whose sums are counted again each time. */
const COUNTED: Bounds = { BY_DIFFERENCE: 'false', PAYMENTS: 'Set(1, 3, 5, 7)', PAGE: '2' }

export const REFOLD: ModelPlan = {
  name: 'refold',
  searches: [BY_DIFFERENCE, COUNTED],
  mutants: [
    {
      name: 'work that does not hear of payments behind its cursor',
      find: 'from != NOWHERE or (st.work.hasSums and order <= st.work.cursor)',
      replace: 'from != NOWHERE',
      breaks: 'settled',
      bounds: BY_DIFFERENCE,
    },
    {
      name: 'work that begins again and keeps its sums',
      find: ',\n                         hasSums: false }',
      replace: ' }',
      breaks: 'settled',
      bounds: BY_DIFFERENCE,
    },
    {
      name: 'pages that do not notice that a mint became known',
      find: 'if (work.hasState) work.sources != st.sourceOf()',
      replace: 'if (work.hasState) false',
      breaks: 'derivedAnew',
      bounds: BY_DIFFERENCE,
    },
    {
      name: 'sums that are counted anew from the cursor',
      find: 'if (goesOn or start < 0 or cursor < start) cursor else start',
      replace: 'cursor',
      breaks: 'settled',
      bounds: BY_DIFFERENCE,
    },
    {
      name: 'work that stays at its place when something changes before it',
      find: 'least(st.work.cursor, if (start < 0 and from != NOWHERE) -1 else from)',
      replace: 'st.work.cursor',
      breaks: 'derivedAnew',
      bounds: BY_DIFFERENCE,
    },
    {
      name: 'work that stays at its place when the last Created event is retracted',
      find: 'if (start < 0 and from != NOWHERE) -1 else from)',
      replace: 'from)',
      breaks: 'derivedAnew',
      bounds: BY_DIFFERENCE,
    },
    {
      name: 'a row that is moved by a difference though its incarnation changed',
      find: 'BY_DIFFERENCE and row.start == start and start >= 0',
      replace: 'BY_DIFFERENCE and start >= 0',
      breaks: 'settled',
      bounds: BY_DIFFERENCE,
    },
    {
      name: 'retracted payments that count',
      find: 'start >= 0 and not(p.retracted) and p.order > start',
      replace: 'start >= 0 and p.order > start',
      breaks: 'settled',
      bounds: COUNTED,
    },
    {
      name: 'a first Created event that concerns later payments only',
      find: 'if (not(isLinked)) -1 else least(',
      replace: 'if (false) -1 else least(',
      breaks: 'derivedAnew',
      bounds: BY_DIFFERENCE,
    },
  ],
}
