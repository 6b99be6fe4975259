/**
 * How often one piece of work takes as long as another in the same run, by the quickest of several turns of each: a busy
 * machine stops some turns, and seldom all.
 */
export function ratioOfTimes(work: () => void, other: () => void, turns = 7): number {
  const times: [number[], number[]] = [[], []]
  for (let turn = 0; turn < turns; turn++)
    for (const [nth, run] of [work, other].entries()) {
      const startedAt = performance.now()
      run()
      times[nth]!.push(performance.now() - startedAt)
    }
  return Math.min(...times[0]) / Math.min(...times[1])
}
