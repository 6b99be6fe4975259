import type { Metrics } from '@payment-tracking/runtime'
import type { ClaimedDelivery } from '@payment-tracking/store/deliveries'
import type { Answer } from '../requests/send-delivery.js'

export type DeliveryMetrics = ReturnType<typeof buildDeliveryMetrics>

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

export function buildDeliveryMetrics(metrics: Metrics) {
  const attempts = metrics.counter('delivery_attempts_total', 'requests that left, by outcome', ['outcome'])
  const duration = metrics.histogram('delivery_attempt_seconds', 'one exchange with an endpoint', SECONDS, [
    'outcome',
  ])
  const firstAttempt = metrics.histogram(
    'delivery_first_attempt_seconds',
    'from the commit of the delivery row to the end of its first attempt',
    SECONDS,
  )
  return {
    ended: metrics.counter('deliveries_ended_total', 'deliveries this worker brought to their end', [
      'state',
    ]),
    deferred: metrics.counter('deliveries_deferred_total', 'deliveries put off without using up a try', [
      'reason',
    ]),
    swept: metrics.counter(
      'deliveries_swept_total',
      'overdue deliveries put back into the queue; above 0 for long: Redis loses jobs',
    ),
    deactivated: metrics.counter('webhooks_deactivated_total', 'webhooks the service deactivated', [
      'reason',
    ]),
    lostResults: metrics.counter(
      'delivery_results_lost_total',
      'results of attempts that could not be written: our fault, see `delivery.result-lost` in the log',
    ),
    workRows: metrics.counter(
      'webhook_work_rows_total',
      'rows that pages of work changed: deliveries of endpoints that were turned off, and redeliveries of a span',
      ['kind'],
    ),
    removed: metrics.counter('deliveries_removed_total', 'deliveries removed after their retention'),
    breakersOpen: metrics.gauge(
      'delivery_breakers_open',
      'endpoints this worker does not send to for now; all of them: our way out is closed',
    ),
    active: metrics.gauge(
      'deliveries_active',
      'deliveries this worker is sending; at `WEBHOOK_CONCURRENCY`: add workers',
    ),
    waiting: metrics.gauge('delivery_jobs_waiting', 'jobs in the queue that no worker has taken'),
    oldest: metrics.gauge(
      'delivery_oldest_undelivered_seconds',
      'age of the oldest delivery that has not ended: queued, delayed, throttled and deferred ones too',
    ),
    oldestAwaitingDetails: metrics.gauge(
      'delivery_oldest_awaiting_details_seconds',
      'how long the oldest message has waited for a recipient or a token that filters of its webhook need',
    ),
    attempted: (delivery: ClaimedDelivery, outcome: Answer['outcome'], durationMs: number) => {
      attempts.inc({ outcome })
      duration.observe({ outcome }, durationMs / 1_000)
      if (delivery.attempt === 1) firstAttempt.observe((Date.now() - delivery.openedAt.getTime()) / 1_000)
    },
  }
}
