import {
  CommonConfig,
  DatabaseConfig,
  DueConfig,
  PoolSize,
  RealtimeRedisConfig,
  WebConfig,
} from '@payment-tracking/runtime'
import { Type, type Static } from 'typebox'

const Count = (fallback: number, description: string) =>
  Type.Integer({ default: fallback, minimum: 1, description })

export const RealtimeConfig = Type.Object({
  ...CommonConfig,
  ...WebConfig,
  ...RealtimeRedisConfig,
  ...DatabaseConfig,
  HOST: Type.String({ default: '127.0.0.1', description: 'where sockets are accepted' }),
  PORT: Type.Integer({
    default: 3003,
    minimum: 0,
    maximum: 65535,
    description: 'where sockets are accepted; 0 takes a free port',
  }),
  MAX_CONNECTIONS_PER_TRACKING_ID: Count(100, 'connections that one tracking ID may have, over all pods'),
  MAX_TRACKING_ID_CONNECTIONS_PER_ADDRESS: Count(10, 'of these, from one client address'),
  MAX_CONNECTIONS_PER_ADDRESS: Count(200, 'connections from one client address, over all pods'),
  MAX_SUBSCRIPTIONS_PER_CONNECTION: Count(100, 'tracking IDs of one connection'),
  ...DueConfig,
  DATABASE_POOL_SIZE: PoolSize(2),
})
export type RealtimeConfig = Static<typeof RealtimeConfig>
