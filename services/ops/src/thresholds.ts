// From when on a figure of the dashboard is red. Those with an alert of infra/observability/alerts.yml have its number: a test
// compares them. Delays are measured in time: what is much for one shop is little for another.
import type { Threshold } from './html/figure.js'

export const THRESHOLDS = {
  oldestUnread: { most: 60, unit: 's' },
  oldestDue: { most: 60, unit: 's' },
  oldestUndelivered: { most: 90_000, unit: 's' },
  deadLetters: { most: 0 },
  chainGaps: { most: 0 },
  streamGaps: { most: 0 },
  quarantined: { most: 0 },
  /** most payments arrive as soon as they are confirmed, and all when they are final: after some 13 s */
  announced: { most: 60, unit: 's' },
  checkpointAge: { most: 60, unit: 's' },
  /** a minute of the chain */
  lagSlots: { most: 150, unit: 'slots' },
} as const satisfies Record<string, Threshold>
