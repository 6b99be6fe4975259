import { StreamSettings } from '@payment-tracking/contracts'
import {
  CommonConfig,
  DatabaseConfig,
  NatsConfig,
  PoolSize,
  PublicOrigins,
  RedisConfig,
  WebConfig,
} from '@payment-tracking/runtime'
import { Type, type Static } from 'typebox'

export const OpsConfig = Type.Object({
  ...CommonConfig,
  ...RedisConfig,
  ...DatabaseConfig,
  DATABASE_POOL_SIZE: PoolSize(4),
  ...NatsConfig,
  ...StreamSettings,
  OPS_PORT: Type.Integer({
    default: 3004,
    minimum: 0,
    maximum: 65535,
    description: 'the dashboard; 0 takes a free port',
  }),
  PUBLIC_ORIGINS: PublicOrigins,
  HOST: Type.String({
    default: '127.0.0.1',
    description: 'where the dashboard listens; keep it off the public network',
  }),
  TRUST_PROXY: WebConfig.TRUST_PROXY,
  OPS_TOKEN: Type.String({
    secret: true,
    minLength: 16,
    description: 'the password of the dashboard, at least 16 characters; without one it does not start',
  }),
})
export type OpsConfig = Static<typeof OpsConfig>
