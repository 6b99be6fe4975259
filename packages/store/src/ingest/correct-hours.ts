// Corrects the figures that a rebuild found wrong (hour-differences.ts, sum-differences.ts), under the writer lock.
import type { PipelinedTx } from '../database/pipelined-transactions.js'
import type { Tx } from '../database/sql.js'
import { addDifferences, addNames } from './figures.js'
import { keyOf, type TokenHour } from './gateway-hours.js'
import type { FigureDifference, HourDifferences } from './hour-differences.js'
import { forgetExtremes, readSizes, recountNow } from './recount-hours.js'
import { sumNames, sumUp } from './sum-hours.js'
import { addWork } from './work.js'

const isOfToken = (row: FigureDifference): row is FigureDifference & TokenHour => row.tokenMint !== undefined

/**
 * Corrects hours in their order, as many as hold `most` payments or wrong rows. An hour of few payments is counted again.
 * The counts and totals of a larger hour are corrected by their differences. Its extremes are found by work that is done
 * after the rebuild; until then they are null, which is not wrong.
 * @returns how many hours are right now; the hour behind them needs another look
 */
export async function correctHours(
  tx: PipelinedTx,
  found: readonly HourDifferences[],
  most: number,
): Promise<number> {
  let room = most
  for (const [at, { hour, counted, stored, figures, names }] of found.entries()) {
    const isWrong = figures.length + names.length > 0
    if (!isWrong) continue
    const isSmall = counted <= BigInt(most)
    const wrong = isSmall ? figures : figures.filter(({ lacksExtremesOnly }) => !lacksExtremesOnly)
    const cost = Math.max(1, isSmall ? Number(counted) : wrong.length) + names.length
    if (cost > room && room < most) return at
    room -= cost
    const tokens = wrong.filter(isOfToken)
    let lacking: TokenHour[] = []
    if (isSmall) {
      if (figures.length > 0) lacking = await recountNow(tx, [hour])
    } else if (figures.length > 0) {
      // Nobody else counts an hour anew unless its row says that it holds few payments.
      if (stored <= BigInt(most) && (await readSize(tx, hour)) !== stored) return at
      const page = tokens.length > most ? tokens.slice(0, most) : wrong
      addDifferences(tx, page)
      forgetExtremes(tx, [hour], page.filter(isOfToken))
      addWork(tx, [{ kind: 'hour', address: keyOf(hour) }])
      if (tokens.length > most) {
        sumUp(tx, [hour], page.filter(isOfToken))
        return at
      }
    }
    if (figures.length > 0) sumUp(tx, [hour], [...tokens, ...lacking])
    addNames(tx, names)
    sumNames(tx, names)
    if (room <= 0) return at + 1
  }
  return found.length
}

const readSize = async (tx: Tx, hour: HourDifferences['hour']): Promise<bigint> =>
  (await readSizes(tx, [hour])).get(keyOf(hour)) ?? 0n
