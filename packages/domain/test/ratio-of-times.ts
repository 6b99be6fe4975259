const spentBy = (work: () => void): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/**
 * How often the processor time of one piece of work is that of another in the same run, by the quickest of several turns of
 * each. What else the machine does meanwhile counts for neither.
 */
export function ratioOfTimes(work: () => void, other: () => void, turns = 7): number {
  const times = Array.from({ length: turns }, () => [spentBy(work), spentBy(other)] as const)
  return (
    Math.min(...times.map(([spent]) => spent)) / Math.max(1, Math.min(...times.map(([, spent]) => spent)))
  )
}
