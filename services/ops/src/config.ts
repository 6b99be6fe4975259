import { DEFAULT_STREAM, DEFAULT_SUBJECT_PREFIX } from '@payment-tracking/contracts'
import {
  CommonConfig,
  DatabaseConfig,
  Flag,
  NatsConfig,
  PoolSize,
  RedisConfig,
} from '@payment-tracking/runtime'
import { Type, type Static } from 'typebox'

export const OpsConfig = Type.Object({
  ...CommonConfig,
  ...RedisConfig,
  ...DatabaseConfig,
  DATABASE_POOL_SIZE: PoolSize(4),
  ...NatsConfig,
  SUBJECT_PREFIX: Type.String({
    default: DEFAULT_SUBJECT_PREFIX,
    description: 'subjects that dead letters may be replayed to begin with this',
  }),
  STREAM_NAME: Type.String({
    default: DEFAULT_STREAM,
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description: 'the JetStream stream the indexer publishes to; made when missing, never altered',
  }),
  CONSUMER_NAME: Type.String({
    default: 'ingest',
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description: 'the durable consumer that all ingest replicas share',
  }),
  INDEXER_BUCKET: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,64}$',
      description:
        'the JetStream bucket of the lease and the checkpoint; INDEXER_<STREAM_NAME> when not given',
    }),
  ),
  OPS_PORT: Type.Integer({
    default: 3004,
    minimum: 0,
    maximum: 65535,
    description: 'the dashboard; 0 takes a free port',
  }),
  OPS_HOST: Type.String({
    default: '127.0.0.1',
    description: 'where the dashboard listens; keep it off the public network',
  }),
  OPS_TOKEN: Type.String({
    secret: true,
    minLength: 16,
    description: 'the password of the dashboard, at least 16 characters; without one it does not start',
  }),
  OPS_BOARD_WRITABLE: Flag(false, 'lets the queue dashboard change jobs; replays do not need it'),
  OPS_TRUST_PROXY: Type.String({
    default: 'off',
    description:
      'whose x-forwarded-for counts: off, on (the proxy that connects to us), a number of proxies, or addresses and networks, comma separated',
  }),
  OPS_SECURE_COOKIE: Flag(false, 'send the session cookie over https only; turn it on behind TLS'),
})
export type OpsConfig = Static<typeof OpsConfig>
