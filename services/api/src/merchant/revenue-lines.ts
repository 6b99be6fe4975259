// The files of a gateway's figures.
import { setImmediate as giveWay } from 'node:timers/promises'
import { csvLine, MOVEMENTS, type Tokens } from '@payment-tracking/domain'
import type { Static } from 'typebox'
import type { Cohorts } from './cohort-schemas.js'
import { writtenAmounts, writtenColumns, type Lines } from './export-amounts.js'
import type { Revenue } from './merchant-schemas.js'

/** A line for each token. Tokens with most payments come first, so a reader of the first row reads what the incumbent's client shows. */
export async function* revenueLines(revenue: Static<typeof Revenue>, tokens: Tokens): Lines {
  const { byToken, startTime, endTime, bucket } = revenue
  yield csvLine([
    ...['mrr', 'recognizedRevenue', 'activeSubscriptionCount'],
    ...['tokenMint', 'paymentCount', 'startTime', 'endTime', 'bucket'],
    ...writtenColumns('mrr', 'recognizedRevenue'),
  ])
  const span = [startTime, endTime, bucket]
  for (const each of byToken) {
    await giveWay()
    const figures = [BigInt(each.mrr), BigInt(each.recognizedRevenue), each.activeSubscriptionCount]
    yield csvLine([
      ...[...figures, each.tokenMint, each.paymentCount, ...span],
      ...writtenAmounts(tokens, each.tokenMint, each.mrr, each.recognizedRevenue),
    ])
  }
  if (byToken.length === 0) yield csvLine([0, 0, 0, null, 0, ...span, null, null, null])
}

/** A line for each bucket of each token. */
export async function* seriesLines({ byToken }: Static<typeof Revenue>, tokens: Tokens): Lines {
  yield csvLine(['ts', 'mrr', 'recognized', 'tokenMint', ...writtenColumns('mrr', 'recognized')])
  for (const { tokenMint, series } of byToken) {
    await giveWay()
    yield series
      .map(({ ts, mrr, recognized }) =>
        csvLine([
          ...[ts, BigInt(mrr), BigInt(recognized), tokenMint],
          ...writtenAmounts(tokens, tokenMint, mrr, recognized),
        ]),
      )
      .join('')
  }
}

/** Each bucket of each token: what it begins with and the movements add up to what it ends with. */
export async function* movementLines({ byToken }: Static<typeof Revenue>, tokens: Tokens): Lines {
  const columns = ['mrrAtStart', ...MOVEMENTS, 'mrr']
  yield csvLine(['ts', ...columns, 'tokenMint', ...writtenColumns(...columns)])
  for (const { tokenMint, mrrAtStart, series } of byToken) {
    await giveWay()
    let start = mrrAtStart
    const lines = series.map(({ ts, mrr, movements }) => {
      const figures = [start, ...MOVEMENTS.map(name => movements[name]), mrr]
      start = mrr
      return csvLine([
        ...[ts, ...figures.map(BigInt), tokenMint],
        ...writtenAmounts(tokens, tokenMint, ...figures),
      ])
    })
    yield lines.join('')
  }
}

export async function* cohortLines({ byToken }: Static<typeof Cohorts>, tokens: Tokens): Lines {
  yield csvLine(['cohort', 'monthsSince', 'wallets', 'volume', 'tokenMint', ...writtenColumns('volume')])
  for (const { tokenMint, cohorts } of byToken) {
    await giveWay()
    yield cohorts
      .flatMap(({ month, months }) =>
        months.map(({ monthsSince, wallets, volume }) =>
          csvLine([
            ...[month, monthsSince, wallets, BigInt(volume), tokenMint],
            ...writtenAmounts(tokens, tokenMint, volume),
          ]),
        ),
      )
      .join('')
  }
}
