// From when on a figure of the dashboard is red. Those with an alert of infra/observability/alerts.yml have its number: a test
// compares them.
import type { Threshold } from './html/figure.js'

export const THRESHOLDS = {
  /** counted no further */
  openDeliveries: { most: 10_000 },
  /** as many as one form delivers again */
  failedDeliveries: { most: 1_000 },
  oldestUndelivered: { most: 90_000, unit: 's' },
  deadLetters: { most: 0 },
  chainGaps: { most: 0 },
  streamGaps: { most: 0 },
  quarantined: { most: 0 },
  /** what ingest stores in a few seconds */
  unread: { most: 10_000, unit: 'messages' },
  /** most payments arrive as soon as they are confirmed, and all when they are final: after some 13 s */
  announced: { most: 60, unit: 's' },
  checkpointAge: { most: 60, unit: 's' },
  /** a minute of the chain */
  lagSlots: { most: 150, unit: 'slots' },
} as const satisfies Record<string, Threshold>
