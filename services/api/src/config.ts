import {
  CommonConfig,
  DatabaseConfig,
  Flag,
  PublicOrigins,
  OverdueConfig,
  PoolSize,
  RedisConfig,
  ReplicaConfig,
  RetryConfig,
  Secret,
  WebConfig,
  TokensConfig,
} from '@payment-tracking/runtime'
import { ProgramSetting } from '@payment-tracking/contracts'
import { Type, type Static } from 'typebox'

export const ApiConfig = Type.Object({
  ...CommonConfig,
  ...WebConfig,
  PORT: Type.Integer({
    default: 3002,
    minimum: 0,
    maximum: 65535,
    description: 'where REST is served; 0 takes a free port',
  }),
  HOST: Type.String({ default: '127.0.0.1', description: 'the address REST is served on' }),
  ...DatabaseConfig,
  ...ReplicaConfig,
  ...RedisConfig,
  DATABASE_POOL_SIZE: PoolSize(3, 'connections to Postgres; up to two more are for lookups'),
  ...ProgramSetting,
  ...TokensConfig,
  ...OverdueConfig,
  ...RetryConfig,
  OPS_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s"<>]+$',
      description: 'where operators find the ops dashboard, for a link on the page of the base URL',
    }),
  ),
  RATE_LIMIT_MAX: Type.Integer({
    default: 600,
    minimum: 1,
    description:
      'requests a client may make in a minute; one that takes more than 20 statements counts as several',
  }),
  JWT_PRIVATE_KEYS: Secret(
    'the keys that sign gateway tokens: a JWK set or an array of private Ed25519 JWKs; npm start makes them',
  ),
  PUBLIC_ORIGINS: PublicOrigins,
  CHECKOUT_TOKEN_ISSUER: Type.String({
    default: 'https://api.tributary.so',
    minLength: 1,
    description: 'who issues proof-of-payment tokens; published verifiers accept the default alone',
  }),
  CHECKOUT_TOKEN_KEYS: Type.Optional(
    Secret(
      'the keys that sign proof-of-payment tokens: a JWK set or an array of private P-256 JWKs; no tokens without; npm start makes them',
    ),
  ),
  WEBHOOK_ALLOW_PRIVATE_TARGETS: Flag(
    false,
    'DANGEROUS: lets gateways point webhooks into private networks and use plain http; for development only',
  ),
})
export type ApiConfig = Static<typeof ApiConfig>
