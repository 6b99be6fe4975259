import { inspect } from 'node:util'

/** A break that follows from timing may stay unseen in one run of a busy machine. */
const MOST_RUNS = 3

export interface Caught {
  runs: number
  /** of the last run */
  differences: string[]
  /** the difference that shows the break; undefined when no run showed it */
  matching: string | undefined
}

/**
 * Runs a broken system until a difference shows the break, three times at most.
 * @param run its differences; a run that fails, for example because a server does not start, shows nothing
 * @param caughtAs what one of the differences must look like
 */
export async function catchBreak(run: () => Promise<string[]>, caughtAs: RegExp): Promise<Caught> {
  for (let runs = 1; ; runs += 1) {
    const differences = await run().catch((error: unknown) => [`run: ${inspect(error)}`])
    const matching = differences.find(line => !line.startsWith('run: ') && caughtAs.test(line))
    if (matching !== undefined || runs === MOST_RUNS) return { runs, differences, matching }
  }
}
