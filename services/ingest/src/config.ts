import { DEFAULT_PROGRAM_ID, DEFAULT_STREAM, DEFAULT_SUBJECT_PREFIX } from '@payment-tracking/contracts'
import {
  CommonConfig,
  DatabaseConfig,
  Flag,
  NatsConfig,
  PoolSize,
  RealtimeRedisConfig,
} from '@payment-tracking/runtime'
import { Type, type Static } from 'typebox'
import type { ProgramSettings } from './pipeline/read-batch.js'

export const IngestConfig = Type.Object({
  ...CommonConfig,
  ...DatabaseConfig,
  DATABASE_POOL_SIZE: PoolSize(3, 'connections to Postgres; one more is for writing'),
  ...RealtimeRedisConfig,
  ...NatsConfig,
  STREAM_NAME: Type.String({
    default: DEFAULT_STREAM,
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description: 'the JetStream stream the indexer publishes to; made when missing, never altered',
  }),
  STREAM_REPLICAS: Type.Integer({
    default: 1,
    minimum: 1,
    maximum: 5,
    description: 'copies of each message when ingest makes the stream; 3 in a cluster of three servers',
  }),
  STREAM_MAX_BYTES: Type.Integer({
    default: -1,
    minimum: -1,
    description: 'the size at which a stream that ingest makes drops its oldest messages; -1 is no limit',
  }),
  STREAM_MAX_AGE_DAYS: Type.Integer({
    default: 30,
    minimum: 1,
    description: 'how long a stream that ingest makes keeps messages',
  }),
  SUBJECT_PREFIX: Type.String({
    default: DEFAULT_SUBJECT_PREFIX,
    pattern: '^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$',
    description: 'what the subjects of the stream begin with',
  }),
  CONSUMER_NAME: Type.String({
    default: 'ingest',
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description: 'the durable consumer that all ingest replicas share',
  }),
  PROGRAM_ID: Type.String({
    default: DEFAULT_PROGRAM_ID,
    pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
    description: 'the Solana program whose events are payments',
  }),
  REQUIRE_PROGRAM_ID: Flag(false, 'refuse messages that do not name their program; on in images'),
  BATCH_SIZE: Type.Integer({
    default: 2000,
    minimum: 1,
    maximum: 10_000,
    description: 'most messages stored in one transaction',
  }),
  ACK_WAIT_MS: Type.Integer({
    default: 60_000,
    minimum: 1_000,
    description: 'when messages of an ingest process that died come again; longer than any batch takes',
  }),
  INGEST_STATEMENT_TIMEOUT_MS: Type.Integer({
    default: 60_000,
    minimum: 100,
    description: 'how long a statement of ingest may take before it gives up the connection to Postgres',
  }),
  SWEEP_INTERVAL_MS: Type.Integer({
    default: 5_000,
    minimum: 100,
    description: 'how often ingest looks for payments that a crash left unannounced',
  }),
  INGEST_BATCH_RETENTION_DAYS: Type.Integer({
    default: 90,
    minimum: 1,
    description:
      'how long GET /v1/payments/:signature/trace can tell when a payment was stored and announced',
  }),
  DEAD_LETTER_RETENTION_DAYS: Type.Integer({
    default: 180,
    minimum: 1,
    description:
      'how long refused messages are kept after they came or were replayed, and closed gaps after they were closed',
  }),
  API_KEY_RETENTION_DAYS: Type.Integer({
    default: 365,
    minimum: 1,
    description: 'how long API keys are kept, with their last use, after they were revoked or expired',
  }),
  RETENTION_INTERVAL_MS: Type.Integer({
    default: 60_000,
    minimum: 100,
    description: 'how often ingest removes rows that were kept for long enough',
  }),
})

/** What reading a message needs to know. */
export const programOf = (config: Static<typeof IngestConfig>): ProgramSettings => ({
  programId: config.PROGRAM_ID,
  requireProgramId: config.REQUIRE_PROGRAM_ID,
  subjectPrefix: config.SUBJECT_PREFIX,
})
