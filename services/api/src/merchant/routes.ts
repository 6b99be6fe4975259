import type { RouteParts } from '../route-parts.js'
import type { ApiServer } from '../api-server.js'
import type { ApiConfig } from '../config.js'
import type { GatewayAuth } from '../gateway-auth/gateway-auth.js'
import { boundCostlyReads } from '../limits/costly-reads.js'
import type { ApiTunables } from '../tunables.js'
import { addMerchantRoutes } from './merchant-routes.js'

export async function merchantRoutes(
  app: ApiServer,
  parts: RouteParts & { auth: GatewayAuth; config: ApiConfig; tunables: ApiTunables },
): Promise<void> {
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
