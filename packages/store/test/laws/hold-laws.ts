// Draws histories until a law breaks, and shrinks the history that broke it.
import fc from 'fast-check'
import type { Test } from 'tap'
import { arrivals } from './arrivals.js'
import { expectationPlans } from './expected-plans.js'
import { manyWorlds } from './histories.js'
import { ALL_LAWS, checkLaws, LawBroken, LAWS, type Drawn, type Law } from './laws.js'
import { CommitFailed, openLawDatabase, type LawDatabase } from './run.js'
import { shrink } from './shrink.js'
import { marks } from './steps.js'

/** How long a history that broke a law is made smaller. */
const SHRINKING_MS = 60_000

export interface LawOptions {
  histories: number
  /** how many of them are stored at once, in the same batches; they have no address in common */
  together: number
  /** databases that are used side by side, each with histories of its own */
  databases: number
  /** default: all, or what LAWS names */
  laws?: readonly Law[]
  /** most payments have a tracking ID, a recipient and a token, as those have that somebody expects */
  known?: boolean
  /** after this time no further history is drawn; without it all are */
  seconds?: number
  /** of the first database; the next has the next number. Default: SEED, or 1 */
  seed?: number
}

const SEED = Number(process.env.SEED ?? 1)
const ASKED = (process.env.LAWS?.split(',') as Law[] | undefined) ?? ALL_LAWS

/** One test for each law. Without a broken law, each has held for all histories. */
export async function holdLaws(t: Test, options: LawOptions): Promise<void> {
  const { databases, seconds = Infinity, seed = SEED } = options
  const progress: Progress = { checked: 0, endsAt: Date.now() + seconds * 1000 }
  const errors = await Promise.all(
    Array.from({ length: databases }, (_, nth) => checkMany(t, options, nth, progress)),
  )
  const { checked } = progress
  t.comment(`SEED=${seed}: ${checked} histories`)
  const error = errors.find(each => each !== null) ?? null
  const found = error instanceof LawBroken ? error : null
  for (const law of options.laws ?? ASKED) {
    t.test(LAWS[law], t => {
      if (found?.law === law) t.fail(`broken: SEED=${seed}`, { history: `${found.message}\n` })
      else t.pass(`held for ${checked} histories`)
      t.end()
    })
  }
  if (found !== null) return
  t.ok(error === null && checked > 0, 'histories were checked', {
    found: error instanceof Error ? `${error.stack}\n` : `${checked} histories`,
  })
}

/** Of all databases. */
interface Progress {
  checked: number
  /** ms since 1970 */
  endsAt: number
}

/** Thrown when the time is over: to draw the millions of histories that are left, and check none, took for ever. */
const ENDED = new Error('the time is over')

/** @returns what ended the checks, or null */
async function checkMany(t: Test, options: LawOptions, nth: number, progress: Progress): Promise<unknown> {
  const { histories, together, databases, known, laws = ASKED, seed = SEED } = options
  const database = await openLawDatabase(t)
  const cases = fc.record({
    worlds: manyWorlds(together, known),
    marks,
    first: arrivals,
    second: arrivals,
    expected: expectationPlans(together),
  })
  const property = fc.asyncProperty(cases, async drawn => {
    if (Date.now() > progress.endsAt) throw ENDED
    const broken = await findBroken(database, drawn, laws)
    progress.checked += together
    if (broken === null) return
    progress.endsAt = 0
    throw await shrinkBroken(database, drawn, broken)
  })
  const numRuns = Math.ceil(histories / together / databases)
  const { errorInstance } = await fc.check(property, { numRuns, endOnFailure: true, seed: seed + nth })
  return errorInstance === ENDED ? null : (errorInstance ?? null)
}

/** The first law that does not hold. */
async function findBroken(
  database: LawDatabase,
  drawn: Drawn,
  asked: readonly Law[],
): Promise<LawBroken | null> {
  try {
    await checkLaws(database, drawn, new Set(asked))
    return null
  } catch (error) {
    if (error instanceof LawBroken) return error
    if (error instanceof CommitFailed) return new LawBroken(asked[0]!, [error.message], [error])
    throw error
  }
}

async function shrinkBroken(database: LawDatabase, drawn: Drawn, broken: LawBroken): Promise<LawBroken> {
  let smallest = broken
  const breaks = async (smaller: Drawn) => {
    const found = await findBroken(database, smaller, [broken.law])
    if (found !== null) smallest = found
    return found !== null
  }
  await shrink(drawn, breaks, Date.now() + SHRINKING_MS)
  return smallest
}
