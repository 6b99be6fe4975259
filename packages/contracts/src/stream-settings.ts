import { Type } from 'typebox'
import { DEFAULT_PROGRAM_ID, DEFAULT_STREAM, DEFAULT_SUBJECT_PREFIX } from './subjects.js'

/** The settings of a process that uses the stream; spread into a service's schema. */
export const StreamSettings = {
  STREAM_NAME: Type.String({
    default: DEFAULT_STREAM,
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    description: 'the JetStream stream the indexer publishes to; made when missing, never altered',
  }),
  SUBJECT_PREFIX: Type.String({
    default: DEFAULT_SUBJECT_PREFIX,
    pattern: '^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*$',
    description: 'what the subjects of the stream begin with',
  }),
}

/** The setting of a process that reads payments or derives addresses; spread into a service's schema. */
export const ProgramSetting = {
  PROGRAM_ID: Type.String({
    default: DEFAULT_PROGRAM_ID,
    pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
    description: 'the Solana program whose events are payments',
  }),
}
