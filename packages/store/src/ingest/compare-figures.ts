// The steps of a rebuild that count figures again. Each reads without the writer lock, in one snapshot, and adds under the
// lock what is missing: nothing, unless the rules changed.
import { PAGE_LIMITS } from '../database/database.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import type { Tx } from '../database/sql.js'
import type { Store } from '../database/open-store.js'
import { addDifferences } from './figures.js'
import { keyOf, toHour } from './gateway-hours.js'
import { readHourDifferences, readNextHours } from './hour-differences.js'
import { recountLater } from './recount-hours.js'
import { readNextGateways, readSumDifferences } from './sum-differences.js'

/** What a comparison of some keys found. */
export interface Compared {
  /** how many keys, from the first on, are right after the correction */
  right: number
  correct: (tx: PipelinedTx) => Promise<void>
}

interface ComparingStep {
  /** the next keys behind one; none when the step is done. '' is the beginning */
  read: (tx: Tx, after: string, limit: number) => Promise<string[]>
  /** @param most the most wrong rows of a kind */
  compare: (tx: Tx, keys: readonly string[], most: number) => Promise<Compared>
}

/** The key of a gateway; '' is the beginning, and all gateways are one. */
const toKey = (gateway: string): string => `=${gateway}`
const toGateway = (key: string): string => key.slice(1)

export const COMPARING = {
  hours: {
    read: async (tx, after, limit) => (await readNextHours(tx, after, limit)).map(keyOf),
    compare: async (tx, keys, most) => {
      const { lacking, whole, ...found } = await readHourDifferences(tx, keys.map(toHour), most)
      return { right: whole, correct: tx => correct(tx, found, lacking) }
    },
  },
  sums: {
    read: async (tx, after, limit) =>
      (await readNextGateways(tx, after === '' ? null : toGateway(after), limit)).map(toKey),
    compare: async (tx, keys, most) => {
      for (const [at, key] of keys.entries()) {
        const { lacking, isCut, ...found } = await readSumDifferences(tx, toGateway(key), most)
        const isRight = Object.values(found).every(({ length }) => length === 0) && lacking.length === 0
        if (!isRight) return { right: isCut ? at : at + 1, correct: tx => correct(tx, found, lacking) }
      }
      return { right: keys.length, correct: () => Promise.resolve() }
    },
  },
} satisfies Record<string, ComparingStep>

async function correct(
  tx: PipelinedTx,
  found: Parameters<typeof addDifferences>[1],
  lacking: Parameters<typeof recountLater>[1],
): Promise<void> {
  await addDifferences(tx, found)
  recountLater(tx, lacking)
}

/** Reads what the database holds at one moment. */
export const inSnapshot = <Result>({ database }: Store, work: (tx: Tx) => Promise<Result>): Promise<Result> =>
  database.transaction(async tx => {
    await tx.$executeRaw`set transaction isolation level repeatable read, read only`
    return work(tx)
  }, PAGE_LIMITS)
