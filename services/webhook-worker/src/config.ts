import {
  CommonConfig,
  DatabaseConfig,
  DueConfig,
  Flag,
  PoolSize,
  RedisConfig,
  RetryConfig,
  TokensConfig,
  ServerUrl,
} from '@payment-tracking/runtime'
import { ProgramSetting } from '@payment-tracking/contracts'
import { Type, type Static } from 'typebox'
import { findWrongEntry } from './requests/no-proxy.js'

export const WebhookWorkerConfig = Type.Object({
  ...CommonConfig,
  ...RedisConfig,
  ...DatabaseConfig,
  DATABASE_POOL_SIZE: PoolSize(4),
  ...RetryConfig,
  ...DueConfig,
  ...TokensConfig,
  ...ProgramSetting,
  WEBHOOK_TIMEOUT_MS: Type.Integer({
    default: 10_000,
    minimum: 100,
    maximum: 60_000,
    description: 'one deadline for a whole exchange: name, connection, request and answer',
  }),
  WEBHOOK_ALLOW_PRIVATE_TARGETS: Flag(
    false,
    'DANGEROUS: lets gateways point webhooks into private networks and use plain http; for development only',
  ),
  WEBHOOK_PROXY_URL: Type.Optional(
    ServerUrl(
      'http|https',
      'an HTTP proxy (CONNECT) through which webhooks leave, http://user:password@host:3128',
    ),
  ),
  WEBHOOK_NO_PROXY: Type.Refine(
    Type.String({
      default: '',
      description:
        'what webhooks reach beside the proxy, comma separated: shop.example with all names below it, shop.example:8443, an address, a network such as 10.0.0.0/8 for what leads into it, or *',
    }),
    setting => findWrongEntry(setting) === 0,
    setting => `has an entry that is no host, number ${findWrongEntry(setting)}`,
  ),
  WEBHOOK_CONCURRENCY: Type.Integer({
    default: 512,
    minimum: 1,
    maximum: 4_096,
    description: 'deliveries one worker works on at a time',
  }),
  WEBHOOK_MAX_IN_FLIGHT: Type.Integer({
    default: 64,
    minimum: 1,
    maximum: 1_024,
    description: 'requests that one worker has on the way to one endpoint',
  }),
  WEBHOOK_MAX_PER_SECOND: Type.Integer({
    default: 1_000,
    minimum: 1,
    description:
      'requests a second of one worker to one endpoint; `ratePerSecond` of a webhook counts over all workers',
  }),
  WEBHOOK_RETENTION_DAYS: Type.Integer({
    default: 30,
    minimum: 1,
    description:
      'how long deliveries and their attempts are kept after they ended, and webhooks after they were deleted',
  }),
})
export type WebhookWorkerConfig = Static<typeof WebhookWorkerConfig>
