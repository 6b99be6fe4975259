// Makes a history that breaks a law smaller. fast-check shrinks value by value, and each try costs several transactions:
// leaving out whole worlds, steps and copies first needs a tenth of the tries.
import type { Arrival } from './arrivals.js'
import type { Drawn } from './laws.js'
import type { Step, World } from './steps.js'

/** Smaller values, the smallest first. */
type Smaller<T> = (value: T) => T[]

const without = <T>(list: readonly T[]): T[][] => list.map((_, at) => list.toSpliced(at, 1))

const replaced = <T>(list: readonly T[], smaller: Smaller<T>): T[][] =>
  list.flatMap((value, at) => smaller(value).map(other => list.with(at, other)))

/** Whole objects in which one field has a plainer value. */
const plainer = <T extends object>(value: T, plain: Partial<T>): T[] =>
  Object.entries(plain).flatMap(([name, to]) =>
    JSON.stringify(value[name as keyof T]) === JSON.stringify(to) ? [] : [{ ...value, [name]: to }],
  )

const smallerStep: Smaller<Step> = step => [
  ...plainer(step, { joins: 'none', pause: 1, contradiction: null, fate: 'valid' }),
  ...(step.copies.length > 1 ? without(step.copies).map(copies => ({ ...step, copies })) : []),
  ...replaced(step.copies, copy =>
    plainer(copy, { finalized: false, tagged: false, knowsPosition: true }),
  ).map(copies => ({ ...step, copies })),
]

const smallerWorld: Smaller<World | null> = world =>
  world === null
    ? []
    : [
        ...halves(world.steps).map(steps => ({ ...world, steps })),
        ...without(world.steps).map(steps => ({ ...world, steps })),
        ...without(world.webhooks).map(webhooks => ({ ...world, webhooks })),
        ...replaced(world.steps, smallerStep).map(steps => ({ ...world, steps })),
      ]

const halves = <T>(list: readonly T[]): T[][] => {
  const middle = Math.ceil(list.length / 2)
  return list.length < 4 ? [] : [list.slice(0, middle), list.slice(middle)]
}

const smallerArrival: Smaller<Arrival> = arrival => [
  ...plainer(arrival, { order: 'chain', cuts: [], rowsAtOnce: 500, pages: 1_000 }),
  ...plainer(arrival.rebuild, { rows: 500, spoils: [] }).map(rebuild => ({
    ...arrival,
    rebuild,
  })),
  ...without(arrival.cuts).map(cuts => ({ ...arrival, cuts })),
]

/** One world alone, or all but one. */
const fewerWorlds = (worlds: Drawn['worlds']): Drawn['worlds'][] => {
  const present = worlds.flatMap((world, at) => (world === null ? [] : [at]))
  if (present.length < 2) return []
  return [
    ...present.map(at => worlds.map((world, of) => (of === at ? world : null))),
    ...present.map(at => worlds.with(at, null)),
  ]
}

const smallerDrawn: Smaller<Drawn> = drawn => [
  ...fewerWorlds(drawn.worlds).map(worlds => ({ ...drawn, worlds })),
  ...without(drawn.marks).map(marks => ({ ...drawn, marks })),
  ...without(drawn.expected).map(expected => ({ ...drawn, expected })),
  ...replaced(drawn.worlds, smallerWorld).map(worlds => ({ ...drawn, worlds })),
  ...smallerArrival(drawn.first).map(first => ({ ...drawn, first })),
  ...smallerArrival(drawn.second).map(second => ({ ...drawn, second })),
]

/**
 * @param drawn breaks a law
 * @param breaks whether a history breaks it too
 * @param endsAt when no smaller history is tried any more, ms since 1970
 */
export async function shrink(
  drawn: Drawn,
  breaks: (smaller: Drawn) => Promise<boolean>,
  endsAt: number,
): Promise<Drawn> {
  let smallest = drawn
  for (let at = 0, isSmaller = false; Date.now() < endsAt;) {
    const candidate = smallerDrawn(smallest)[at]
    if (candidate === undefined) {
      if (!isSmaller) return smallest
      ;[at, isSmaller] = [0, false]
    } else if (await breaks(candidate)) {
      // What comes before was tried with a larger history: it is tried again in the next round.
      ;[smallest, isSmaller] = [candidate, true]
      if (candidate.worlds.filter(Boolean).length === 1) continue
      at = 0
    } else at++
  }
  return smallest
}
