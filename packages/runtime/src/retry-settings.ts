import { Type } from 'typebox'

/** When a webhook is tried again: the same for the workers that try, and for answers that say when. */
export const RetryConfig = {
  WEBHOOK_BACKOFF_MS: Type.Integer({
    default: 5_000,
    minimum: 1,
    maximum: 3_600_000,
    description: 'the delay before the first retry; it grows with each',
  }),
  // The specification says exponential backoff.
  WEBHOOK_BACKOFF_FACTOR: Type.Number({
    default: 2,
    minimum: 1.5,
    maximum: 100,
    description: 'by how much the delay grows with each retry; 12 spreads the retries over 13 minutes',
  }),
}
