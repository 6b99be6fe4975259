// The steps of a rebuild that count figures again. Each reads without the writer lock, in one snapshot, and corrects under
// the lock what it found: nothing, unless the rules changed.
import { PAGE_LIMITS } from '../database/database.js'
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import type { Tx } from '../database/sql.js'
import type { Store } from '../database/open-store.js'
import { correctHours } from './correct-hours.js'
import { keyOf, type GatewayHour } from './gateway-hours.js'
import { readHourDifferences, readNextHours } from './hour-differences.js'
import { correctSums, readNextGateways, readSumDifferences } from './sum-differences.js'

/** What a comparison of some keys found. */
export interface Compared {
  /** how many of the keys were compared, from the first on */
  count: number
  /** @param most wrong rows, or payments, of one transaction. @returns how many keys are right now, from the first on */
  correct: (tx: PipelinedTx, most: number) => Promise<number>
}

interface ComparingStep {
  /** the next keys behind one; none when the step is done. '' is the beginning */
  read: (tx: Tx, after: string, limit: number) => Promise<string[]>
  compare: (
    tx: Tx,
    keys: readonly string[],
    of: { most: number; eventsAtOnce: number | undefined },
  ) => Promise<Compared>
}

const toHour = (key: string): GatewayHour => {
  const end = key.indexOf(' ')
  return { start: new Date(key.slice(0, end)), gateway: key.slice(end + 1) }
}

/** The key of a gateway; '' is the beginning, and all gateways are one. */
const toKey = (gateway: string): string => `=${gateway}`
const toGateway = (key: string): string => key.slice(1)

export const COMPARING = {
  hours: {
    read: async (tx, after, limit) => (await readNextHours(tx, after, limit)).map(keyOf),
    compare: async (tx, keys, { eventsAtOnce }) => {
      const found = await readHourDifferences(tx, keys.map(toHour), eventsAtOnce)
      return { count: found.length, correct: (tx, most) => correctHours(tx, found, most) }
    },
  },
  sums: {
    read: async (tx, after, limit) =>
      (await readNextGateways(tx, after === '' ? null : toGateway(after), limit)).map(toKey),
    compare: async (tx, keys, { most }) => {
      for (const [at, key] of keys.entries()) {
        const found = await readSumDifferences(tx, toGateway(key), most)
        const wrong = Math.max(found.gateways.length, found.tokens.length, found.names.length)
        if (wrong === 0) continue
        const correct = (tx: PipelinedTx) => {
          correctSums(tx, found)
          return Promise.resolve(wrong < most ? at + 1 : at)
        }
        return { count: at + 1, correct }
      }
      return { count: keys.length, correct: () => Promise.resolve(keys.length) }
    },
  },
} satisfies Record<string, ComparingStep>

/** Reads what the database holds at one moment. */
export const inSnapshot = <Result>({ database }: Store, work: (tx: Tx) => Promise<Result>): Promise<Result> =>
  database.transaction(async tx => {
    await tx.$executeRaw`set transaction isolation level repeatable read, read only`
    return work(tx)
  }, PAGE_LIMITS)
