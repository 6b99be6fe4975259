/** Why the server ends a stream; codes from 4000 are this service's own. docs/errors.md is written from it. */
export const CLOSE = {
  stopping: {
    code: 1001,
    reason: 'STOPPING: this instance is stopping; connect again with your last cursor',
  },
  tooSlow: { code: 4008, reason: 'TOO_SLOW: the reader took nothing for too long' },
  otherEpoch: { code: 4009, reason: 'OTHER_EPOCH: the database was replaced; begin without since' },
  archived: {
    code: 4010,
    reason: 'ARCHIVED: events behind your cursor were archived meanwhile; begin with since=0',
  },
} as const
