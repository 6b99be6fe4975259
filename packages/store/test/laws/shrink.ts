// Makes a history that breaks a law smaller. fast-check shrinks value by value, and each try costs several transactions: leaving out
// whole worlds, steps and copies needs a tenth of the tries, and what is left is short enough to read.
import type { Drawn } from './laws.js'
import type { World } from './steps.js'

const without = <T>(list: readonly T[]): T[][] => list.map((_, at) => list.toSpliced(at, 1))

const halves = <T>(list: readonly T[]): T[][] => {
  const middle = Math.ceil(list.length / 2)
  return list.length < 4 ? [] : [list.slice(0, middle), list.slice(middle)]
}

const smallerWorlds = (world: World): World[] => [
  ...[...halves(world.steps), ...without(world.steps)].map(steps => ({ ...world, steps })),
  ...without(world.webhooks).map(webhooks => ({ ...world, webhooks })),
  ...world.steps.flatMap((step, at) =>
    step.copies.length === 1
      ? []
      : without(step.copies).map(copies => ({ ...world, steps: world.steps.with(at, { ...step, copies }) })),
  ),
]

/** Smaller ones, the smallest first: one world alone, all but one, and less of each. */
function smallerDrawn(drawn: Drawn): Drawn[] {
  const { worlds, marks, expected, first, second } = drawn
  const present = worlds.flatMap((world, at) => (world === null ? [] : [at]))
  const fewer = present.length < 2 ? [] : present
  return [
    ...fewer.map(at => ({ ...drawn, worlds: worlds.map((world, of) => (of === at ? world : null)) })),
    ...fewer.map(at => ({ ...drawn, worlds: worlds.with(at, null) })),
    ...without(marks).map(each => ({ ...drawn, marks: each })),
    ...without(expected).map(each => ({ ...drawn, expected: each })),
    ...present.flatMap(at =>
      smallerWorlds(worlds[at]!).map(world => ({ ...drawn, worlds: worlds.with(at, world) })),
    ),
    ...without(first.cuts).map(cuts => ({ ...drawn, first: { ...first, cuts } })),
    ...without(second.cuts).map(cuts => ({ ...drawn, second: { ...second, cuts } })),
  ]
}

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
