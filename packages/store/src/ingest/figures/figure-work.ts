// Of a rebuild: figures are counted again. Each page reads without the writer lock, in one snapshot, and adds under the lock what
// is missing: nothing, unless the rules changed.
import type { WorkKind } from '../../core/tasks/under-writer-lock.js'
import { addDifferences, type Differences } from './figures.js'
import { hourKey, toHour, type GatewayHour } from './gateway-hours.js'
import { firstOf, readHourDifferences } from './hour-differences.js'
import { recountLater } from './recount-hours.js'
import { readSumDifferences, toGateway } from './sum-differences.js'

/** What a comparison of some keys found. */
export interface Compared {
  keys: string[]
  /** how many keys, from the first on, are right after the correction */
  right: number
  differences: Differences
  /** hours that are recounted */
  lacking: readonly GatewayHour[]
}

/** @param look compares the first of some keys. The last number: the most wrong rows of a kind */
const comparing = (
  most: number,
  check: (tx: Parameters<typeof firstOf>[0], keys: readonly string[], rows: number) => Promise<Compared>,
): WorkKind<object, Compared> => ({
  together: rows => Math.min(rows, most),
  check: (snapshot, works, rows) =>
    snapshot(tx =>
      check(
        tx,
        works.map(({ key }) => key),
        rows,
      ),
    ),
  page: async (tx, works, _scope, { keys, right, differences, lacking }) => {
    await addDifferences(tx, differences)
    recountLater(tx, lacking)
    const done = new Set(keys.slice(0, right))
    return {
      done: works.filter(({ key }) => done.has(key)),
      continued: works.find(({ key }) => key === keys[right]),
    }
  },
})

const byGateway = (a: GatewayHour, b: GatewayHour): number =>
  a.gateway === b.gateway ? a.start.getTime() - b.start.getTime() : a.gateway < b.gateway ? -1 : 1

export const HOUR_FIGURES = comparing(100, async (tx, keys, rows) => {
  const hours = await firstOf(tx, keys.map(toHour).toSorted(byGateway))
  const { lacking, whole, ...differences } = await readHourDifferences(tx, hours, rows)
  return { keys: hours.map(hourKey), right: whole, differences, lacking }
})

export const GATEWAY_FIGURES = comparing(500, async (tx, keys, rows) => {
  for (const [at, key] of keys.entries()) {
    const { lacking, isCut, ...differences } = await readSumDifferences(tx, toGateway(key), rows)
    const isRight = Object.values(differences).every(({ length }) => length === 0) && lacking.length === 0
    if (isRight) continue
    const right = isCut ? at : at + 1
    return { keys: keys.slice(0, at + 1), right, differences, lacking }
  }
  return { keys: [...keys], right: keys.length, differences: {}, lacking: [] }
})
