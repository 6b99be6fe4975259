import { boundCostlyReads } from '../limits/costly-reads.js'
import type { AddFolder } from '../parts.js'
import { addMerchantRoutes } from './merchant-routes.js'

export const merchantRoutes: AddFolder = async (app, parts) => {
  const { config, tunables, nowMs } = parts
  await app.register((merchant, _options, done) => {
    boundCostlyReads(merchant, {
      statementsAtOnce: Math.max(1, config.DATABASE_POOL_SIZE - 1),
      keepMs: tunables.costlyAnswerKeptMs,
      keptBytes: tunables.costlyAnswerBytes,
      nowMs,
    })
    addMerchantRoutes(merchant, parts)
    done()
  })
}
