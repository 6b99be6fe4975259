import type { StreamConfig } from '@payment-tracking/bus'
import { ProgramSetting, StreamSettings } from '@payment-tracking/contracts'
import {
  CommonConfig,
  DatabaseConfig,
  Flag,
  NatsConfig,
  PoolSize,
  RealtimeRedisConfig,
  StreamCopies,
} from '@payment-tracking/runtime'
import { Type, type Static } from 'typebox'
import { EVENTS_ARCHIVE } from './archive/open-archive-files.js'
import type { ProgramSettings } from './pipeline/read-batch.js'

export const IngestConfig = Type.Object({
  ...CommonConfig,
  ...DatabaseConfig,
  DATABASE_POOL_SIZE: PoolSize(3, 'connections to Postgres; one more is for writing'),
  ...RealtimeRedisConfig,
  ...NatsConfig,
  ...StreamSettings,
  ...StreamCopies,
  ...ProgramSetting,
  REQUIRE_PROGRAM_ID: Flag(false, 'refuse messages that do not name their program; on in images'),
  DEAD_LETTER_RETENTION_DAYS: Type.Integer({
    default: 180,
    minimum: 1,
    description:
      'how long refused messages are kept after they came or were replayed, and closed gaps after they were closed',
  }),
  EVENTS_RETENTION_MONTHS: Type.Integer({
    default: 0,
    minimum: 0,
    maximum: 1_200,
    description:
      'whole months before this one whose events stay in lists; older ones are archived once they are final. 0 keeps all',
  }),
  EVENTS_ARCHIVE,
})

type IngestConfig = Static<typeof IngestConfig>

/** The stream, as the bus names its parts. */
export const streamOf = (config: IngestConfig): StreamConfig & { replicas: number } => ({
  streamName: config.STREAM_NAME,
  subjectPrefix: config.SUBJECT_PREFIX,
  replicas: config.STREAM_REPLICAS,
})

/** What reading a message needs to know. */
export const programOf = (config: IngestConfig): ProgramSettings => ({
  programId: config.PROGRAM_ID,
  requireProgramId: config.REQUIRE_PROGRAM_ID,
  subjectPrefix: config.SUBJECT_PREFIX,
})
