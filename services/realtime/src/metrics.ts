import type { Metrics } from '@payment-tracking/runtime'

/** The metrics of a pod. The registry itself measures event-loop delay and memory. */
export function createRealtimeMetrics(metrics: Metrics) {
  return {
    connections: metrics.gauge(
      'realtime_connections',
      'open connections; falls at once when pods restart or the load balancer moves clients',
    ),
    subscriptions: metrics.gauge('realtime_subscriptions', 'subscriptions of the open connections'),
    deliveries: metrics.counter('realtime_deliveries_total', 'payments sent to a subscriber'),
    lag: metrics.histogram(
      'realtime_lag_seconds',
      "from a payment's commit to its emission",
      [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    ),
    recoveries: metrics.counter(
      'realtime_recoveries_total',
      'subscriptions with `since`; many when clients reconnect',
      ['result'],
    ),
    rejections: metrics.counter(
      'realtime_rejections_total',
      'refused messages: a mistake of clients, or a limit that is too low',
      ['code'],
    ),
    closes: metrics.counter('realtime_closes_total', 'connections that the service ended', ['reason']),
    disconnects: metrics.counter(
      'realtime_disconnects_total',
      'connections that ended; many `ping timeout`: the event loop or the network stalls',
      ['reason'],
    ),
    healed: metrics.counter(
      'realtime_healed_total',
      'payments and life-cycle events that Redis lost and the store brought',
    ),
    fenced: metrics.counter('realtime_fenced_total', 'payments held back because seats may be lost'),
    queuedPackets: metrics.gauge(
      'realtime_queued_packets',
      'the longest queue of a connection, which is closed at 512',
    ),
  }
}
export type RealtimeMetrics = ReturnType<typeof createRealtimeMetrics>
